import { type Dispatcher, request } from 'undici';

/** Bytes of the largest answer that is read. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a JSON answer of another server. In contrast to `fetch` it decompresses nothing and follows no redirect, so a
 * small answer cannot fill the memory.
 * @param timeout milliseconds for the whole answer.
 * @throws when there is none in time, its status is not 200 or it is not JSON.
 */
export async function getJson(
  url: string,
  timeout: number,
  options: Pick<Dispatcher.RequestOptions, 'method' | 'headers' | 'body'> = { method: 'GET' },
): Promise<unknown> {
  const { statusCode, body } = await request(url, { ...options, signal: AbortSignal.timeout(timeout) });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  return JSON.parse(Buffer.concat(chunks).toString());
}
