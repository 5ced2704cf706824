import { LOGIN_BODY } from '../http/body-limits.ts';
import { jsonBody, requiredText, typedCode } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { catalogueToken } from './catalogue-login.ts';

const proof = jsonBody({
  password: requiredText.exactOptional(),
  code: typedCode.exactOptional(),
})
  .refine(({ password, code }) => (password === undefined) !== (code === undefined), {
    error: 'must contain either password or code',
  })
  .meta({ examples: [{ password: 'correct horse battery staple' }, { code: '287082' }] });

/** Served by the login service. The gateway limits wrong proofs for each network. */
export const confirmContract = contract('POST /api/v1/auth/confirm', {
  needs: 'own',
  returnsSecret: true,
  bodyLimit: LOGIN_BODY,
  summary: 'Confirm that it is you',
  description:
    'Returns a token of the same session, valid as long as the one presented, with which calls that need a fresh session succeed for ten minutes. An account with a second factor confirms with a code of it, any other with the password. A person who logs in at a provider only confirms by logging in there again.',
  body: proof,
  returns: catalogueToken,
  fails: ['invalidCredentials', 'codeInvalid', 'ssoRequired'],
  audits: ['session.confirm'],
});
