import type { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';

/** Bytes of the largest response that is read. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Requests JSON from another server. Unlike `fetch`, it neither decompresses nor follows redirects, so a small response
 * cannot fill the memory.
 * @param timeout milliseconds for the whole response.
 * @throws when the response is late, is not JSON or has a status other than 200.
 */
export async function requestJson(
  url: string,
  timeout: number,
  options: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> = { method: 'GET' },
): Promise<unknown> {
  const { statusCode, body } = await request(url, { ...options, signal: AbortSignal.timeout(timeout) });
  const text = await readText(body, MAX_BYTES);
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  return JSON.parse(text);
}

/** Reads the body of a response. @throws when it has more than `max` bytes. */
export async function readText(body: Readable, max: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > max) throw new Error('the response is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
