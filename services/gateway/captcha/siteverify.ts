import type { GatewayConfig } from '@gatehouse/shared/config';
import { z } from 'zod';
import { CHALLENGE_LIFETIME, type VerifyCaptcha } from './gate.ts';

/** Where each provider verifies a token, by a form of `secret`, `response` and `remoteip`. */
const SITEVERIFY = {
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
};

/** Milliseconds for the provider's whole answer. */
const TIMEOUT = 5_000;

const verdict = z.object({ success: z.boolean(), challenge_ts: z.string().optional() });

/** reCAPTCHA, hCaptcha and Turnstile: a token is good if its provider says so and it is young enough. */
export function siteverify(
  { CAPTCHA_SECRET, CAPTCHA_VERIFY_URL }: GatewayConfig,
  provider: keyof typeof SITEVERIFY,
): VerifyCaptcha {
  return async (token, remoteip, now) => {
    const answer = await fetch(CAPTCHA_VERIFY_URL ?? SITEVERIFY[provider], {
      method: 'POST',
      body: new URLSearchParams({ secret: CAPTCHA_SECRET, response: token, remoteip }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const { success, challenge_ts } = verdict.parse(await answer.json());
    const tooOld = challenge_ts !== undefined && !(now - Date.parse(challenge_ts) <= CHALLENGE_LIFETIME);
    return answer.ok && success && !tooOld ? token : undefined;
  };
}
