import { AppError } from '@gatehouse/shared/http/errors';
import { contractOfRequest } from '@gatehouse/shared/http/response-headers';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** v1 serves both until /api/v2/ exists (CONTRACT.md §Versioning). */
const SUPPORTED = new Set(['v1', 'v2']);

export interface Deprecation {
  path: string;
  since: Date;
  /** At least six months after `since` (CONTRACT.md §Versioning). */
  sunset: Date;
  /** The announcement. */
  link: string;
}

export const DEPRECATIONS: readonly Deprecation[] = [];

/** Checks and sets `API-Version`; sets `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) on deprecated paths. */
export const apiVersion = fp(
  async (app: FastifyInstance, { deprecations }: { deprecations: readonly Deprecation[] }) => {
    const byPath = new Map(deprecations.map((deprecation) => [deprecation.path, deprecation]));
    app.addHook('onRequest', (request, _reply, done) => {
      const requested = request.headers['api-version'];
      const isSupported = requested === undefined || SUPPORTED.has(String(requested));
      if (!isSupported && contractOfRequest(request) !== 'direct')
        throw new AppError('invalidFormat', { text: 'API-Version must be v1 or v2' });
      done();
    });
    // onSend also runs for errors and forwarded responses.
    app.addHook('onSend', async (request, reply) => {
      if (contractOfRequest(request) === 'direct') return;
      reply.header('api-version', 'v1');
      const deprecation = byPath.get(request.url.split('?', 1)[0] ?? '');
      if (!deprecation) return;
      const links = [reply.getHeader('link'), `<${deprecation.link}>; rel="deprecation"`];
      reply.headers({
        deprecation: `@${Math.floor(deprecation.since.getTime() / 1000)}`,
        sunset: deprecation.sunset.toUTCString(),
        link: links.flat().filter(Boolean).join(', '),
      });
    });
  },
);
