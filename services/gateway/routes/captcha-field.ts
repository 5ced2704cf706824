import { z } from 'zod';

/** The field of a catalogue login that holds the CAPTCHA token. */
export const captchaField = {
  recaptcha_token: z.string().optional().meta({
    description: 'The CAPTCHA token; required after failed logins, when the gateway answers CAPTCHA_REQUIRED',
  }),
};
