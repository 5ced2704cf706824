import { AppError } from '@gatehouse/shared/errors';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';

/** Segments of unreserved characters (RFC 3986 §2.3), none empty; `.` and `..` are sorted out below. */
const CANONICAL = /^\/(?:[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*\/?)?$/;

/**
 * Answers 404 to every path with a second spelling (`//`, `/./`, escapes, `\`, `;`, absolute form), so that
 * the gateway and whatever stands before or behind it cannot read one path in two ways.
 */
export const canonicalPath = fp(async (app: FastifyInstance) => {
  app.addHook('onRequest', async (request) => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (!CANONICAL.test(path) || /\/\.{1,2}(?:\/|$)/.test(path)) throw new AppError('notFound');
  });
});
