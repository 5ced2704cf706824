import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';

/** Bytes of the largest body that is read whole. */
const MAX_BYTES = 1024 * 1024;

/** A request's body, all of it; nothing where there is none. @throws {AppError} invalidFormat */
export async function wholeBody({ raw, headers }: FastifyRequest): Promise<Buffer | undefined> {
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new AppError('invalidFormat', { text: 'The body is too large' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
