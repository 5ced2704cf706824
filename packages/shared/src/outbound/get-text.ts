import { request } from 'undici';
import type { Outbound } from './outbound.ts';

/** Milliseconds for a document, from dialing to its end. */
const TIMEOUT = 8_000;

/** The provider answered, but not with the document. */
export class ResponseError extends Error {}

/**
 * Reads a document of a provider.
 * @throws {ResponseError} for any status but 200; redirects are not followed.
 */
export async function getText(
  { agent }: Pick<Outbound, 'agent'>,
  url: string,
  { timeout = TIMEOUT, headers: sent = {} }: { timeout?: number; headers?: Record<string, string> } = {},
): Promise<{ text: string; date: string | undefined }> {
  const { statusCode, headers, body } = await request(url, {
    dispatcher: agent,
    headers: sent,
    signal: AbortSignal.timeout(timeout),
  });
  if (statusCode !== 200) {
    // Its AbortError has no other listener.
    body.once('error', () => {}).destroy();
    const isRedirect = statusCode >= 300 && statusCode < 400;
    throw new ResponseError(
      isRedirect
        ? 'the response is a redirect, which is not followed'
        : `the response has status ${statusCode}`,
    );
  }
  const { date } = headers;
  return { text: await body.text(), date: typeof date === 'string' ? date : undefined };
}
