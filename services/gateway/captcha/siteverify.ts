import type { GatewayConfig } from '@gatehouse/shared/config';
import { z } from 'zod';
import { requestJson } from '../request-json.ts';
import { CHALLENGE_LIFETIME, type VerifyCaptcha } from './provider.ts';

export const SITEVERIFY = {
  recaptcha: 'https://www.google.com/recaptcha/api/siteverify',
  hcaptcha: 'https://api.hcaptcha.com/siteverify',
  turnstile: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
};

const verdict = z.object({
  success: z.boolean(),
  challenge_ts: z.string().optional(),
  /** reCAPTCHA v3: 0 for a bot, 1 for a person. The score of hCaptcha is a risk, 1 for a bot. */
  score: z.unknown().optional(),
  hostname: z.unknown().optional(),
  action: z.unknown().optional(),
});

/** reCAPTCHA, hCaptcha and Turnstile. @param timeout milliseconds for the provider's whole response. */
export function siteverify(
  { CAPTCHA_SECRET, CAPTCHA_VERIFY_URL, CAPTCHA_MIN_SCORE, CAPTCHA_HOSTNAMES, CAPTCHA_ACTION }: GatewayConfig,
  provider: keyof typeof SITEVERIFY,
  timeout: number,
): VerifyCaptcha {
  return async (token, remoteip, now) => {
    const answer = await requestJson(CAPTCHA_VERIFY_URL ?? SITEVERIFY[provider], timeout, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ secret: CAPTCHA_SECRET, response: token, remoteip }).toString(),
    });
    const { success, challenge_ts, score, hostname, action } = verdict.parse(answer);
    const tooOld = challenge_ts !== undefined && !(now - Date.parse(challenge_ts) <= CHALLENGE_LIFETIME);
    const tooLow =
      provider === 'recaptcha' &&
      score !== undefined &&
      !(typeof score === 'number' && score >= CAPTCHA_MIN_SCORE);
    // A token for another site of the same key, or for another form, is no proof for a login here.
    const elsewhere = CAPTCHA_HOSTNAMES?.some((name) => name === hostname) === false;
    const otherAction = CAPTCHA_ACTION !== undefined && action !== CAPTCHA_ACTION;
    return success && !tooOld && !tooLow && !elsewhere && !otherAction ? token : undefined;
  };
}
