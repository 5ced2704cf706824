import { clockFinding, wholeSeconds } from '@gatehouse/shared/checks/clock';
import { type Finding, fail, ok, warn } from '@gatehouse/shared/checks/finding';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { UPSTREAM_SETTINGS } from '@gatehouse/shared/contract/prefixes';
import { call } from './http.ts';

/** Whether the gateway can reach the services and what the platform serves. Any answer will do. */
export async function checkUpstreams(config: GatewayConfig): Promise<Finding[]> {
  const services = (['LOGIN_SERVICE_URL', 'USER_SERVICE_URL'] as const).map(async (setting) => {
    const url = `${config[setting].replace(/\/$/, '')}/health/live`;
    const advice = `check ${setting}, and that the service runs; the gateway answers 502 for its calls`;
    const answer = await call(url).catch((error: Error) => error.message);
    if (typeof answer === 'string') return fail(setting, `cannot be reached: ${answer}`, advice);
    return answer.status === 200
      ? ok(setting, 'answers')
      : fail(setting, `answers ${answer.status}, so it is no service of Gatehouse`, advice);
  });
  const upstreams = UPSTREAM_SETTINGS.map(async (setting) => {
    const url = config[setting];
    if (url === undefined) return undefined;
    const advice = `check ${setting}, and that the platform service runs; the gateway answers 502 for its calls`;
    return call(url).then(
      () => ok(setting, 'answers'),
      (error: Error) => warn(setting, `cannot be reached: ${error.message}`, advice),
    );
  });
  return (await Promise.all([...services, ...upstreams])).filter((finding) => finding !== undefined);
}

/** Compares the clock of this machine with the `Date` of a server of the internet, which the operator chooses. */
export async function checkInternetClock(
  url: string | undefined,
  now: () => number = Date.now,
): Promise<Finding[]> {
  const check = 'internet clock';
  if (url === undefined) return [ok(check, 'not asked; --time-url names a web server whose Date to compare')];
  const asked = now();
  const answer = await call(url, { method: 'HEAD' }).catch((error: Error) => error.message);
  if (typeof answer === 'string') return [ok(check, `not reached: ${answer}`)];
  const date = answer.header('date');
  if (date === undefined || Number.isNaN(Date.parse(date))) return [ok(check, 'the server sends no Date')];
  return [clockFinding(check, { asked, answered: now(), ...wholeSeconds(date) })];
}

/** An address for documentation (RFC 5737), which no client has. */
const FORGED = '203.0.113.77';
const PROBE = '/api/v1/auth/ways';

/**
 * Sends the deployment requests with a forged X-Forwarded-For, and sees by the rate limit whether the gateway takes the
 * forged address for the client's: then everybody can choose the address that limits and audits hold against them.
 */
export async function checkProxy(config: GatewayConfig): Promise<Finding[]> {
  const check = 'TRUST_PROXY';
  const { PUBLIC_URL, TRUST_PROXY, RATE_LIMIT } = config;
  const base = PUBLIC_URL.replace(/\/$/, '');
  if (!RATE_LIMIT) return [ok(check, 'not checked: RATE_LIMIT is off')];
  const remaining = async (headers = {}) => {
    const { header } = await call(`${base}${PROBE}`, { headers });
    return Number(header('x-ratelimit-remaining') ?? Number.NaN);
  };
  let seen: [plain: number, again: number, forged: number];
  try {
    seen = [await remaining(), await remaining(), await remaining({ 'x-forwarded-for': FORGED })];
  } catch (error) {
    const advice = 'check PUBLIC_URL, its DNS and that this machine may reach it; mails link to it';
    return [warn('PUBLIC_URL', `cannot be reached: ${(error as Error).message}`, advice)];
  }
  const [, again, forged] = seen;
  const reached = ok('PUBLIC_URL', 'answers');
  if (seen.some(Number.isNaN))
    return [
      warn('PUBLIC_URL', 'answers, but not as a gateway does', 'check that PUBLIC_URL leads to the gateway'),
    ];
  // The budget of an address that was not seen before is full; that of this machine has lost two calls.
  if (forged > again)
    return [
      reached,
      fail(
        check,
        `a forged X-Forwarded-For passed for the address of the client (${FORGED})`,
        'let the outer proxy replace the header, and name in TRUST_PROXY only the addresses of your proxies',
      ),
    ];
  if (TRUST_PROXY === false && base.startsWith('https:'))
    return [
      reached,
      warn(
        check,
        'is off, but PUBLIC_URL is https: a proxy is in front, and every client counts as that proxy',
        'name the addresses of the proxy in TRUST_PROXY',
      ),
    ];
  return [reached, ok(check, 'a forged X-Forwarded-For changes nothing')];
}
