import { reasonOf } from '@gatehouse/shared/outbound/reason';
import { Agent, request } from 'undici';

/** Milliseconds for an answer. */
const TIMEOUT = 5_000;

export interface Response {
  status: number;
  header(name: string): string | undefined;
  text: string;
}

/**
 * Calls a server that the settings name. Redirects are not followed.
 * @throws {Error} whose message is the reason in words.
 */
export async function call(
  url: string,
  options: { method?: 'GET' | 'HEAD' | 'POST'; headers?: Record<string, string>; body?: string } = {},
): Promise<Response> {
  const dispatcher = new Agent({ maxResponseSize: 1024 * 1024, connectTimeout: TIMEOUT });
  try {
    const { statusCode, headers, body } = await request(url, {
      method: 'GET',
      ...options,
      dispatcher,
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const text = await body.text();
    const header = (name: string) => [headers[name]].flat()[0];
    return { status: statusCode, header, text };
  } catch (error) {
    throw new Error(reasonOf(error as Error), { cause: error });
  } finally {
    await dispatcher.destroy();
  }
}
