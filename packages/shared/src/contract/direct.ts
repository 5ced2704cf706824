import { z } from 'zod';
import { failures } from '../http/errors.ts';
import { isPlainAddress } from '../identity/email.ts';

/**
 * The Direct contract (spec §Direct contract): what each operation takes and answers. The service that owns
 * an operation and the gateway that forwards it read it here, and so do their OpenAPI documents.
 */

/** A field that must hold something; its failure reads "<field> is required". */
const requiredText = z.string({ error: 'is required' }).min(1, { error: 'is required' });
/** The address that an existing account is looked up by: trimmed, otherwise whatever it is. */
const knownEmail = requiredText
  .trim()
  .min(1, { error: 'is required' })
  .meta({ examples: ['ada@example.com'] });
const newEmail = knownEmail
  .refine(isPlainAddress, { error: 'must be a plain e-mail address' })
  .meta({ examples: ['ada@example.com'] });
const newPassword = requiredText
  .refine((text) => Buffer.byteLength(text) <= 1024, { error: 'must not be longer than 1024 bytes' })
  .meta({ examples: ['correct horse battery staple'] });
const otp = requiredText.meta({ examples: ['048213'] });

const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…';
const otpSent = z.object({ token: z.string() }).meta({
  description: 'Done. The token carries `email`, `otp_sent` and `exp`; it opens no session.',
  examples: [{ token: TOKEN }],
});

const form = { tags: ['account'], consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'] };

export const loginContract = {
  ...form,
  summary: 'Log in',
  description: 'Checks an e-mail and a password; answers a token for the header `Authorization: Bearer`.',
  body: z.object({
    email: knownEmail,
    password: requiredText.meta({ examples: ['correct horse battery staple'] }),
  }),
  response: {
    200: z
      .object({ message: z.literal('Login successful'), token: z.string(), user_id: z.string().nullable() })
      .meta({
        description: 'The password is right. The token is good for 30 minutes.',
        examples: [{ message: 'Login successful', token: TOKEN, user_id: 'User-483920' }],
      }),
    ...failures(
      'direct',
      'missingField',
      'invalidFormat',
      'accountDoesNotExist',
      'invalidCredentials',
      'accountNotVerified',
      'unavailable',
    ),
  },
};

export const signupContract = {
  ...form,
  summary: 'Sign up',
  description: 'Creates an unverified account and mails a code that is good for 60 seconds.',
  body: z.object({
    email: newEmail,
    password: newPassword,
    name: requiredText.meta({ examples: ['Ada Lovelace'] }),
  }),
  response: {
    200: otpSent,
    ...failures('direct', 'missingField', 'invalidFormat', 'emailRegistered', 'rateLimited', 'unavailable'),
  },
};

export const verifyOtpContract = {
  ...form,
  summary: 'Verify a code and activate the account',
  description: 'After five wrong guesses a code is dead; after ten in an hour the account answers 429.',
  body: z.object({ email: knownEmail, otp }),
  response: {
    200: z.object({ message: z.literal('OTP verified successfully'), user_id: z.string() }).meta({
      description: 'The account is active.',
      examples: [{ message: 'OTP verified successfully', user_id: 'User-483920' }],
    }),
    ...failures(
      'direct',
      'missingField',
      'invalidFormat',
      'userNotFound',
      'otpExpired',
      'otpInvalid',
      'rateLimited',
      'unavailable',
    ),
  },
};

export const forgotPasswordContract = {
  ...form,
  summary: 'Ask for a code to reset a password',
  description: 'Mails a code that is good for 60 seconds; ten an hour at most.',
  body: z.object({ email: knownEmail }),
  response: {
    200: otpSent,
    ...failures('direct', 'missingField', 'invalidFormat', 'userNotFound', 'rateLimited', 'unavailable'),
  },
};

export const resetPasswordContract = {
  ...form,
  summary: 'Set a new password with a code',
  description: 'The code is used up, and every session that began earlier ends.',
  body: z.object({ email: knownEmail, otp, new_password: newPassword }),
  response: {
    200: otpSent,
    ...failures(
      'direct',
      'missingField',
      'invalidFormat',
      'userNotFound',
      'otpInvalidOrExpired',
      'rateLimited',
      'unavailable',
    ),
  },
};
