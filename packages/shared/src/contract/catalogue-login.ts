import { z } from 'zod';
import { LOGIN_BODY } from '../http/body-limits.ts';
import { jsonBody, requiredText, typedCode } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { FACTOR_LOGIN_FAILURES, passkeyFields, withOneProof } from './passkey-proof.ts';

/** The response of a catalogue login and of a refresh (CONTRACT.md §Catalogue login). */
export const catalogueToken = z
  .object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    user_id: z.string().nullable(),
  })
  .meta({
    description: 'A token for the header `Authorization: Bearer`. `expires_in` is in seconds.',
    examples: [
      {
        access_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…',
        token_type: 'Bearer',
        expires_in: 3600,
        user_id: 'User-483920',
      },
    ],
  });

/** @param issued.lifetime seconds for which the token is valid. */
export const catalogueTokenOf = ({
  token,
  lifetime,
  user_id,
}: {
  token: string;
  lifetime: number;
  user_id: string | null;
}): z.infer<typeof catalogueToken> => ({
  access_token: token,
  token_type: 'Bearer',
  expires_in: lifetime,
  user_id,
});

/** Served by the login service and validated by the gateway. */
export const catalogueLoginContract = contract('POST /api/v1/auth/login', {
  needs: 'nothing',
  returnsSecret: 'session',
  bodyLimit: LOGIN_BODY,
  summary: 'Log in',
  description:
    'Checks an e-mail and a password and returns a token that is valid for one hour. The error does not reveal whether the e-mail is known.',
  body: jsonBody({
    email: requiredText.trim().min(1, { error: 'is required' }),
    password: requiredText,
  }).meta({ examples: [{ email: 'ada@example.com', password: 'correct horse battery staple' }] }),
  returns: catalogueToken,
  fails: ['invalidCredentials', 'accountNotVerified', 'ssoRequired', 'secondFactorRequired', 'unavailable'],
});

/** Served by the login service and validated by the gateway. */
export const catalogueFactorContract = contract('POST /api/v1/auth/login/factor', {
  needs: 'nothing',
  returnsSecret: 'session',
  bodyLimit: LOGIN_BODY,
  summary: 'Log in with the second factor',
  description:
    'Completes a login that was answered with SECOND_FACTOR_REQUIRED. The code is from the authenticator app, or an unused recovery code. `passkey_token` and `credential` replace it for a passkey. Five wrong codes in 15 minutes lead to 429 for the account.',
  body: withOneProof(
    jsonBody({
      factor_token: requiredText.meta({
        description: 'From `details` of the refused login; valid for five minutes',
      }),
      code: typedCode.exactOptional(),
      ...passkeyFields,
    }),
  ).meta({
    examples: [{ factor_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImZhY3Rvcitqd3QifQ.…', code: '287082' }],
  }),
  returns: catalogueToken,
  fails: FACTOR_LOGIN_FAILURES,
});
