import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import { AppError } from './errors.ts';

export const json = fp(async (app: FastifyInstance) => {
  app.removeContentTypeParser('application/json');
  parseJson(app, 'application/json');
});

/** Parses JSON bodies as UTF-8. An empty body is accepted: many clients send the content type without a body. */
export function parseJson(app: FastifyInstance, contentType: string): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(new AppError('invalidFormat'));
    return parse(request, body.toString('utf8'), done);
  });
}
