import type { IncomingMessage } from 'node:http';

/** Bytes. An authentication request is a few KiB. */
const MAX_FORM = 256 * 1024;

/** Reads a URL-encoded form. */
export async function readForm(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_FORM) throw new Error('the form is too large');
    chunks.push(chunk);
  }
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')));
}
