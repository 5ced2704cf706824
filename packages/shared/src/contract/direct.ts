import { z } from 'zod';
import { requiredText, typedCode } from '../http/fields.ts';
import { hasPublicDomain, isPlainAddress } from '../identity/email.ts';
import { contract } from '../operation/operation.ts';
import { FACTOR_LOGIN_FAILURES, passkeyFormFields, withOneProof } from './passkey-proof.ts';

/**
 * Requests and responses of the Direct contract (CONTRACT.md §Direct contract). The service that serves an
 * operation, the gateway in front of it and their OpenAPI documents all use these schemas.
 */

/** The e-mail of an existing account. Only trimmed: older records may hold any text. */
export const knownEmail = requiredText
  .trim()
  .min(1, { error: 'is required' })
  .meta({ examples: ['ada@example.com'] });
/** An address to be stored. */
export const newEmail = knownEmail
  .refine(isPlainAddress, { error: 'must be a plain e-mail address', abort: true })
  .refine(hasPublicDomain, { error: 'must have a public domain' })
  .meta({ examples: ['ada@example.com'] });
/** A password to be stored. */
export const newPassword = requiredText
  // Half a surrogate pair, which JSON can hold, has no bytes in UTF-8: all such passwords would be equal.
  .refine((text) => text.isWellFormed(), { error: 'must be well-formed Unicode' })
  .refine((text) => Buffer.byteLength(text) <= 1024, { error: 'must not be longer than 1024 bytes' })
  .meta({ examples: ['correct horse battery staple'] });
/** Controls, line and paragraph separators, and bidirectional overrides: a name with them can pass for other text. */
const DECEPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const otp = requiredText.meta({ examples: ['048213'] });

const token = z.string().optional().meta({
  description:
    'The token that signup or forgot-password returned. It selects the signup to activate, and guesses with it are counted separately.',
});

const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…';
const FACTOR_TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImZhY3Rvcitqd3QifQ.…';
export const loggedIn = z
  .object({ message: z.literal('Login successful'), token: z.string(), user_id: z.string().nullable() })
  .meta({
    description: 'Success. The token is valid for 30 minutes.',
    examples: [{ message: 'Login successful', token: TOKEN, user_id: 'User-483920' }],
  });
const otpSent = z.object({ token: z.string() }).meta({
  description:
    'Success. The token has the claims `email`, `otp_sent` and `exp` and is never accepted as a bearer.',
  examples: [{ token: TOKEN }],
});

export const form = {
  needs: 'nothing',
  consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
} as const;

export const loginContract = contract('POST /v2/login', {
  ...form,
  returnsSecret: 'session',
  summary: 'Log in',
  description: 'Checks an e-mail and a password and returns a token for the header `Authorization: Bearer`.',
  body: z.object({
    email: knownEmail,
    password: requiredText.meta({ examples: ['correct horse battery staple'] }),
  }),
  returns: loggedIn,
  fails: [
    'accountDoesNotExist',
    'invalidCredentials',
    'accountNotVerified',
    'ssoRequired',
    'secondFactorRequired',
    'unavailable',
  ],
});

export const factorContract = contract('POST /v2/login/factor', {
  ...form,
  returnsSecret: 'session',
  summary: 'Log in with the second factor',
  description:
    'Completes a login that was answered with `Second factor required`. The code is from the authenticator app, or an unused recovery code. `passkey_token` and `credential` replace it for a passkey. Five wrong codes in 15 minutes lead to 429 for the account.',
  body: withOneProof(
    z.object({
      factor_token: requiredText.meta({
        description: 'From the refused login; valid for five minutes',
        examples: [FACTOR_TOKEN],
      }),
      code: typedCode.exactOptional().meta({ examples: ['287082'] }),
      ...passkeyFormFields,
    }),
  ),
  returns: loggedIn,
  fails: FACTOR_LOGIN_FAILURES,
});

export const signupContract = contract('POST /v2/signup', {
  ...form,
  summary: 'Sign up',
  description:
    'Creates an unverified account and mails a code that is valid for 60 seconds. Each mailbox gets ten codes an hour, and each client network thirty.',
  body: z.object({
    email: newEmail,
    password: newPassword,
    name: requiredText
      // Code points, as in JSON Schema.
      .refine((text) => [...text].length <= 200, {
        error: 'must not be longer than 200 characters',
        abort: true,
      })
      .refine((text) => !DECEPTIVE.test(text), {
        error: 'must not contain control characters or bidirectional overrides',
      })
      .meta({ maxLength: 200, examples: ['Ada Lovelace'] }),
  }),
  returns: otpSent,
  fails: ['emailRegistered', 'rateLimited', 'unavailable'],
});

export const verifyOtpContract = contract('POST /v2/verify-otp', {
  ...form,
  summary: 'Verify a code and activate the account',
  description:
    'Activates the signup that `token` names, or the newest one. Without the token of a signup, a code of forgot-password activates nothing once the address has signed up again. Five wrong guesses invalidate the code; ten in an hour lead to 429 for the account, as do twenty activations in an hour for the client network. Guesses with the token of the code are counted separately.',
  body: z.object({ email: knownEmail, otp, token }),
  returns: z.object({ message: z.literal('OTP verified successfully'), user_id: z.string() }).meta({
    description: 'The account is active.',
    examples: [{ message: 'OTP verified successfully', user_id: 'User-483920' }],
  }),
  fails: ['userNotFound', 'otpExpired', 'otpInvalid', 'rateLimited', 'unavailable'],
});

export const forgotPasswordContract = contract('POST /v2/forgot-password', {
  ...form,
  summary: 'Request a password reset code',
  description:
    'Mails a code that is valid for 60 seconds, at most ten per hour for an account and five of them for one client network, and twenty unused ones a day. Each mailbox gets ten an hour, and each client network thirty. With the token of the newest signup that waits for its code, it is another code of that signup.',
  body: z.object({
    email: knownEmail,
    token: z.string().optional().meta({ description: 'The token of a signup that waits for its code.' }),
  }),
  returns: otpSent,
  fails: ['userNotFound', 'rateLimited', 'unavailable'],
});

export const resetPasswordContract = contract('POST /v2/reset-password', {
  ...form,
  summary: 'Set a new password with a code',
  description:
    'Consumes the code and ends every earlier session. Guesses with the token of the code are counted separately.',
  body: z.object({ email: knownEmail, otp, new_password: newPassword, token }),
  returns: otpSent,
  fails: ['userNotFound', 'otpInvalidOrExpired', 'rateLimited', 'unavailable'],
});
