import type { GatewayConfig } from '@gatehouse/shared/config';
import { z } from 'zod';
import { CHALLENGE_LIFETIME, type VerifyCaptcha } from './provider.ts';

const SITEVERIFY = {
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
};

const verdict = z.object({ success: z.boolean(), challenge_ts: z.string().optional() });

/** reCAPTCHA, hCaptcha and Turnstile. @param timeout milliseconds for the provider's whole response. */
export function siteverify(
  { CAPTCHA_SECRET, CAPTCHA_VERIFY_URL }: GatewayConfig,
  provider: keyof typeof SITEVERIFY,
  timeout: number,
): VerifyCaptcha {
  return async (token, remoteip, now) => {
    const response = await fetch(CAPTCHA_VERIFY_URL ?? SITEVERIFY[provider], {
      method: 'POST',
      body: new URLSearchParams({ secret: CAPTCHA_SECRET, response: token, remoteip }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    });
    const { success, challenge_ts } = verdict.parse(await response.json());
    const tooOld = challenge_ts !== undefined && !(now - Date.parse(challenge_ts) <= CHALLENGE_LIFETIME);
    return response.ok && success && !tooOld ? token : undefined;
  };
}
