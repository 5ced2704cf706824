import { type Finding, fail, ok, warn } from '@gatehouse/shared/checks/finding';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { SITEVERIFY } from '../../../services/gateway/captcha/siteverify.ts';
import { call } from './http.ts';

/** No browser ever gets this token. */
const DUMMY = 'gatehouse-doctor';

/** Asks the CAPTCHA provider about a token that is none: the error tells whether it knows the secret. */
export async function checkCaptcha({
  CAPTCHA_PROVIDER: provider,
  CAPTCHA_SECRET,
  CAPTCHA_SITE_KEY,
  CAPTCHA_VERIFY_URL,
}: GatewayConfig): Promise<Finding[]> {
  const check = 'CAPTCHA';
  if (provider === 'none') return [ok(check, 'off')];
  if (provider === 'altcha') return [ok(check, 'ALTCHA, which needs no provider')];
  const answer = await call(CAPTCHA_VERIFY_URL ?? SITEVERIFY[provider], {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ secret: CAPTCHA_SECRET, response: DUMMY }).toString(),
  }).catch((error: Error) => error.message);
  const advice = 'check CAPTCHA_VERIFY_URL and the way out of the network; until then nobody logs in';
  if (typeof answer === 'string') return [fail(check, `${provider} cannot be reached: ${answer}`, advice)];
  const codes = errorCodes(answer.text);
  if (codes === undefined)
    return [fail(check, `${provider} answers ${answer.status}, not as agreed`, advice)];
  if (codes.some((code) => code.includes('secret')))
    return [
      fail(
        check,
        `${provider} does not know CAPTCHA_SECRET`,
        'copy the secret key, not the site key, from the provider; until then nobody logs in',
      ),
    ];
  if (CAPTCHA_SITE_KEY === undefined)
    return [
      warn(
        check,
        `${provider} accepts the secret, but CAPTCHA_SITE_KEY is missing`,
        'the account pages need it',
      ),
    ];
  return [ok(check, `${provider} accepts the secret`)];
}

/** The `error-codes` of an answer of siteverify. */
function errorCodes(text: string): string[] | undefined {
  try {
    const { success, 'error-codes': codes = [] } = JSON.parse(text);
    return typeof success === 'boolean' && Array.isArray(codes) ? codes.map(String) : undefined;
  } catch {
    return undefined;
  }
}
