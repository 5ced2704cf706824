import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the body was refused because of its size. */
    isOversized: boolean;
  }
}

const MAX_BYTES = 1024 * 1024;

/** Whether the headers announce a body. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/**
 * Reads a request's body; undefined when it has none.
 * @param max bytes; a larger body is refused before it is read if its length is announced.
 * @throws {AppError} invalidFormat
 */
export async function wholeBody(request: FastifyRequest, max = MAX_BYTES): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  const { raw, headers } = request;
  const tooLarge = () => {
    request.isOversized = true;
    return new AppError('invalidFormat', { text: 'The body is too large' });
  };
  if (Number(headers['content-length']) > max) throw tooLarge();

  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const read = (chunk: Buffer) => {
    size += chunk.length;
    if (size > max) reject(tooLarge());
    else chunks.push(chunk);
  };
  // Not an iterator: an error would destroy the request, and with it the connection that is to carry the answer.
  raw
    .on('error', reject)
    .once('end', () => resolve(Buffer.concat(chunks)))
    .on('data', read);
  return promise.finally(() => raw.off('data', read).pause());
}
