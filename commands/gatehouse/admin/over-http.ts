import { reasonOf } from '@gatehouse/shared/outbound/reason';
import { UsageError } from '../exit.ts';
import { type AdminApi, ApiError, UnknownAddress } from './api.ts';

/** Milliseconds for an answer. */
const TIMEOUT = 30_000;

/** Calls a deployment with a key of an operator. */
export function openHttp(url: string, key: string): AdminApi {
  const base = URL.parse(url);
  if (!base || !/^https?:$/.test(base.protocol))
    throw new UsageError('GATEHOUSE_URL must be a URL that begins with http:// or https://');
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(base.hostname);
  if (base.protocol === 'http:' && !isLocal)
    throw new UsageError('GATEHOUSE_URL is http: the key would be sent without TLS; use https');
  const call: AdminApi['call'] = async (method, path, body) => {
    let response: Response;
    try {
      response = await fetch(`${url.replace(/\/$/, '')}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        // The key is for this address alone.
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT),
      });
    } catch (error) {
      const { cause } = error as Error;
      throw new Error(`${base.origin} cannot be reached: ${reasonOf((cause ?? error) as Error)}`, { cause });
    }
    const text = await response.text();
    const answer = jsonOf(text);
    if (!response.ok) throw new ApiError(response.status, answer);
    if (answer === undefined) throw new Error(`${base.origin} answers, but not as Gatehouse does`);
    return answer;
  };
  return {
    where: base.origin,
    call,
    async personIdOf(email) {
      const query = new URLSearchParams({ search: email, limit: '20' });
      const { data } = (await call('GET', `/api/v1/admin/people?${query}`)) as {
        data: { email: string; person_id: string }[];
      };
      const found = data.find((person) => person.email.toLowerCase() === email.toLowerCase());
      if (!found) throw new UnknownAddress(email);
      return found.person_id;
    },
    close: async () => {},
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
