import { z } from 'zod';
import { LOGIN_BODY } from '../http/body-limits.ts';
import type { ErrorName } from '../http/errors.ts';
import { jsonBody, requiredText } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { ASSERTION_EXAMPLE, assertion } from '../passkeys/credentials.ts';
import { catalogueToken } from './catalogue-login.ts';
import { form, loggedIn } from './direct.ts';
import { PASSKEY_TOKEN_EXAMPLE, passkeyToken } from './passkey-proof.ts';

/** The logins with a passkey, which the login service serves and the gateway validates (CONTRACT.md §Passkeys). */

/** What a browser needs to ask for a passkey. */
export const passkeyRequest = z
  .object({
    passkey_token: z.string().meta({ description: 'To be sent with the answer, within two minutes' }),
    options: z
      .looseObject({ challenge: z.string(), rpId: z.string() })
      .meta({ description: 'For `navigator.credentials.get()`, as `PublicKeyCredentialRequestOptionsJSON`' }),
  })
  .meta({
    description: 'The options for the browser',
    examples: [
      {
        passkey_token: PASSKEY_TOKEN_EXAMPLE,
        options: {
          rpId: 'accounts.example.com',
          challenge: 'wq2rYVbKz3nC1yXj6uQfPj0o8bq4oWc0i0b9i5x2m1k',
          timeout: 120_000,
          userVerification: 'required',
        },
      },
    ],
  });

const factor_token = requiredText.exactOptional().meta({
  description: 'From a login that waits for its second factor; the passkey then completes it',
});

const optionsFails = ['factorTokenInvalid', 'notFound', 'unavailable'] as const satisfies ErrorName[];
const optionsDescription =
  'Returns options for `navigator.credentials.get()` and stores nothing. Without a `factor_token` the options are the same for everybody. 404 if passkeys are off, or if the account has none.';

export const passkeyOptionsContract = contract('POST /v2/login/passkey/options', {
  ...form,
  returnsSecret: true,
  summary: 'Request options to log in with a passkey',
  description: optionsDescription,
  body: z.object({ factor_token }),
  returns: passkeyRequest,
  fails: optionsFails,
});

export const cataloguePasskeyOptionsContract = contract('POST /api/v1/auth/login/passkey/options', {
  needs: 'nothing',
  returnsSecret: true,
  bodyLimit: LOGIN_BODY,
  summary: 'Request options to log in with a passkey',
  description: optionsDescription,
  body: jsonBody({ factor_token }).meta({ examples: [{}] }),
  returns: passkeyRequest,
  fails: optionsFails,
});

const loginFails = [
  'passkeyInvalid',
  'passkeyTokenInvalid',
  'accountNotVerified',
  'ssoRequired',
  'notFound',
  'unavailable',
] as const satisfies ErrorName[];
const loginDescription =
  'Completes a login alone, also for an account with a second factor: the passkey must have verified the person. An unknown passkey and a wrong signature get the same answer.';

export const passkeyLoginContract = contract('POST /v2/login/passkey', {
  ...form,
  returnsSecret: 'session',
  summary: 'Log in with a passkey',
  description: loginDescription,
  body: z.object({
    passkey_token: passkeyToken,
    credential: requiredText.meta({
      description: 'The answer of `navigator.credentials.get()`, as JSON text',
      examples: [JSON.stringify(ASSERTION_EXAMPLE)],
    }),
  }),
  returns: loggedIn,
  fails: loginFails,
});

export const cataloguePasskeyLoginContract = contract('POST /api/v1/auth/login/passkey', {
  needs: 'nothing',
  returnsSecret: 'session',
  bodyLimit: LOGIN_BODY,
  summary: 'Log in with a passkey',
  description: loginDescription,
  body: jsonBody({ passkey_token: passkeyToken, credential: assertion }).meta({
    examples: [{ passkey_token: PASSKEY_TOKEN_EXAMPLE, credential: ASSERTION_EXAMPLE }],
  }),
  returns: catalogueToken,
  fails: loginFails,
});
