import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { type Contract, contractOf } from './errors.ts';

/** The contract of a call: that of its route, since the target may spell the path in another way. */
export const contractOfRequest = ({ routeOptions, url }: FastifyRequest): Contract =>
  contractOf(routeOptions.url ?? '') === 'direct' ? 'direct' : contractOf(url);

/** The headers against sniffing and caching that every answer of a contract has (CONTRACT.md §Caching). */
export const protectiveHeaders = (contract: Contract): Record<string, string> => ({
  'x-content-type-options': 'nosniff',
  ...(contract === 'direct' && { 'cache-control': 'no-store' }),
});

export const responseHeaders = fp(async (app: FastifyInstance) => {
  app.addHook('onSend', async (request, reply) => {
    reply.headers(protectiveHeaders(contractOfRequest(request)));
  });
});
