import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';

const MAX_BYTES = 1024 * 1024;

/** Whether the headers announce a body. */
export const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;

/** Reads a request's body; undefined when it has none. @throws {AppError} invalidFormat */
export async function wholeBody(request: FastifyRequest): Promise<Buffer | undefined> {
  if (!hasBody(request)) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new AppError('invalidFormat', { text: 'The body is too large' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
