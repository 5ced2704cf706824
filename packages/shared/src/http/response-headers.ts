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
  let stopping = false;
  app.addHook('preClose', async () => {
    stopping = true;
  });
  app.addHook('onSend', (request, reply, _payload, done) => {
    reply.header('x-request-id', request.id).headers(protectiveHeaders(contractOfRequest(request)));
    // A connection that is kept alive would delay the stop of the service.
    if (stopping) reply.header('connection', 'close');
    done();
  });
});
