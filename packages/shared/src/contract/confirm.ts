import { LOGIN_BODY } from '../http/body-limits.ts';
import { jsonBody, requiredText, typedCode } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { catalogueToken } from './catalogue-login.ts';
import { PASSKEY_FAILURES, passkeyFields, WHOLE_PASSKEY } from './passkey-proof.ts';
import { passkeyRequest } from './passkeys.ts';

const proof = jsonBody({
  password: requiredText.exactOptional(),
  code: typedCode.exactOptional(),
  ...passkeyFields,
})
  .refine(...WHOLE_PASSKEY)
  .refine(
    ({ password, code, passkey_token }) =>
      [password, code, passkey_token].filter((each) => each !== undefined).length === 1,
    { error: 'must contain either password, code or passkey_token' },
  )
  .meta({ examples: [{ password: 'correct horse battery staple' }, { code: '287082' }] });

/** Served by the login service. The gateway limits wrong proofs for each network. */
export const confirmContract = contract('POST /api/v1/auth/confirm', {
  needs: 'own',
  returnsSecret: 'session',
  bodyLimit: LOGIN_BODY,
  summary: 'Confirm that it is you',
  description:
    'Returns a token of the same session, valid as long as the one presented, with which calls that need a fresh session succeed for ten minutes. An account with a second factor confirms with a code, any other with the password; a passkey can replace either. A person who only logs in at a provider confirms by logging in there again.',
  body: proof,
  returns: catalogueToken,
  fails: ['invalidCredentials', 'codeInvalid', ...PASSKEY_FAILURES, 'ssoRequired'],
  audits: ['session.confirm'],
});

/** Served by the login service. */
export const confirmPasskeyOptionsContract = contract('POST /api/v1/auth/confirm/passkey/options', {
  needs: 'own',
  returnsSecret: true,
  summary: 'Request options to confirm with a passkey',
  description:
    'Returns options for `navigator.credentials.get()` that name the passkeys of the account, and stores nothing. The answer goes to `POST /api/v1/auth/confirm` in the same session. 404 if the account has no passkey, or if passkeys are off.',
  returns: passkeyRequest,
  fails: ['notFound'],
});
