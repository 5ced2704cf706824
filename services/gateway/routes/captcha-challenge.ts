import { z } from 'zod';
import { signChallenge } from '../captcha/altcha.ts';
import { operation } from '../operation.ts';

/** The challenge that the ALTCHA widget or `npm run captcha` solves. */
export const altchaChallenge = operation('GET /captcha/challenge', {
  needs: 'nothing',
  summary: 'Get a proof-of-work challenge for a login',
  description:
    'An ALTCHA v2 challenge, valid for two minutes and one login. Send the solved payload as `recaptcha_token`.',
  returns: z
    .object({ parameters: z.record(z.string(), z.unknown()), signature: z.string() })
    .meta({ description: 'The signed challenge' }),
  fails: ['rateLimited'],
  async handle({ config, now, reply }) {
    reply.header('cache-control', 'no-store');
    return signChallenge(config, now());
  },
});
