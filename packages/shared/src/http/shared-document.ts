import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { singleFlight } from '../single-flight.ts';

/** Milliseconds for which a document is used before it is built again. */
const LIFETIME = 5_000;

/** A document as bytes, which all responses share. */
export interface SharedDocument {
  type: string;
  body: Buffer;
  etag: string;
}

export function createDocument(type: string, text: string): SharedDocument {
  const body = Buffer.from(text);
  return { type, body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}

/**
 * Wraps `build`, which needs no bearer: callers share its document for some seconds, and concurrent callers share one
 * build. A failed build is not remembered.
 * @param now Unix milliseconds.
 */
export function sharedDocument(
  type: string,
  build: () => Promise<string>,
  now: () => number,
): () => Promise<SharedDocument> {
  let current: { document: SharedDocument; builtAt: number } | undefined;
  const rebuild = singleFlight(async () => {
    const document = createDocument(type, await build());
    current = { document, builtAt: now() };
    return document;
  });
  return async () => (current && now() - current.builtAt < LIFETIME ? current.document : rebuild());
}

/** Whether the client has what an ETag names (RFC 9110 §13.1.2). */
export const isKnown = ({ 'if-none-match': known }: IncomingHttpHeaders, etag: string): boolean =>
  known === '*' || known?.includes(etag) === true;

/** Sends a document; 304 when the client has it. */
export function sendDocument(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { type, body, etag }: SharedDocument,
): FastifyReply {
  reply.headers({ etag, 'cache-control': 'no-cache' });
  if (isKnown(headers, etag)) return reply.code(304).send();
  return reply.type(type).send(body);
}
