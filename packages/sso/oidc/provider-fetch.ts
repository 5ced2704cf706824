import type { Outbound } from '@gatehouse/shared/outbound/outbound';
import { reasonOf } from '@gatehouse/shared/outbound/reason';
import type { CustomFetch } from 'openid-client';
import { request } from 'undici';
import { SsoRefusal } from '../refusal.ts';

/** Bytes of a response. Documents, key sets and tokens are a few KiB. */
const MAX_RESPONSE = 128 * 1024;

/** The headers that openid-client reads. */
const HEADERS = ['content-type', 'www-authenticate', 'date'];

/**
 * Lets openid-client dial under our rules: without redirects, within `signal`, and up to a length.
 * @throws {SsoRefusal} provider unavailable or message malformed. openid-client wraps it; see ./refusal-of.ts.
 */
export const providerFetch =
  ({ agent }: Pick<Outbound, 'agent'>, signal: AbortSignal): CustomFetch =>
  async (url, { method, headers, body }) => {
    const address = new URL(url);
    const target = `${address.origin}${address.pathname}`;
    const unavailable = (error: Error) =>
      new SsoRefusal('provider unavailable', `${target}: ${reasonOf(error)}`, error);
    const response = await request(url, {
      dispatcher: agent,
      method: method as 'GET' | 'POST',
      headers: { ...headers, 'accept-encoding': 'identity' },
      body: body instanceof URLSearchParams ? body.toString() : null,
      signal,
    }).catch((error) => {
      throw unavailable(error);
    });
    const { statusCode: status } = response;
    if ((status >= 300 && status < 400) || status >= 500 || status === 429) {
      // Its AbortError has no other listener.
      response.body.once('error', () => {}).destroy();
      if (status < 400) throw new SsoRefusal('message malformed', `${target}: a redirect is not followed`);
      throw new SsoRefusal('provider unavailable', `${target}: the response has status ${status}`);
    }
    const chunks: Buffer[] = [];
    let length = 0;
    try {
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > MAX_RESPONSE) break;
        chunks.push(chunk);
      }
    } catch (error) {
      throw unavailable(error as Error);
    }
    if (length > MAX_RESPONSE)
      throw new SsoRefusal('message malformed', `${target}: the response is too long`);
    const read = new Headers();
    for (const name of HEADERS) {
      for (const value of [response.headers[name] ?? []].flat()) read.append(name, value);
    }
    return new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: read });
  };

/** Returns the object that a response holds. @throws {SsoRefusal} message malformed. */
export async function objectOf(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json().catch(() => undefined);
  if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  throw new SsoRefusal('message malformed', 'the response is no JSON object');
}
