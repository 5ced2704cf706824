import { AppError, contractOf } from '@gatehouse/shared/http/errors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** What `API-Version` may ask for. v1 serves both until there is an /api/v2 (spec §Versioning). */
const UNDERSTOOD = new Set(['v1', 'v2']);

/** A path that will go: when that was announced, when it ends, and where to read about it. */
export interface Deprecation {
  path: string;
  since: Date;
  sunset: Date;
  link: string;
}

/** Paths that are about to go; at least six months lie between `since` and `sunset` (spec §Versioning). */
export const DEPRECATIONS: readonly Deprecation[] = [];

/** `API-Version` in and out, and `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) where the table has the path. */
export const apiVersion = fp(
  async (app: FastifyInstance, { deprecations }: { deprecations: readonly Deprecation[] }) => {
    const byPath = new Map(deprecations.map((deprecation) => [deprecation.path, deprecation]));
    app.addHook('onRequest', async (request) => {
      const asked = request.headers['api-version'];
      if (asked === undefined || UNDERSTOOD.has(String(asked))) return;
      if (contractOf(request.url) === 'direct') return;
      throw new AppError('invalidFormat', { text: 'API-Version must be v1 or v2' });
    });
    // Here rather than above, so that refusals and answers of a service carry them too.
    app.addHook('onSend', async (request, reply) => {
      if (contractOf(request.url) === 'direct') return;
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
