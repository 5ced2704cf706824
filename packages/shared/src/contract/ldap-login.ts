import { LOGIN_BODY } from '../http/body-limits.ts';
import { jsonBody, requiredText, typedCode } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { catalogueFactorContract, catalogueToken } from './catalogue-login.ts';

/** Served by the user service and validated by the gateway. */
export const ldapLoginContract = contract('POST /api/v1/auth/ldap', {
  needs: 'nothing',
  returnsSecret: 'session',
  bodyLimit: LOGIN_BODY,
  summary: 'Log in at a directory',
  description:
    'Checks a user name and a password at the directory of an LDAP connection and returns a token that is valid for one hour. The error does not reveal whether the user name is known.',
  body: jsonBody({
    connection: requiredText.meta({ description: 'The slug of the connection' }),
    username: requiredText,
    // A directory takes a bind without a password for an anonymous one (RFC 4513 §5.1.2).
    password: requiredText,
  }).meta({ examples: [{ connection: 'acme', username: 'ada', password: 'correct horse battery staple' }] }),
  returns: catalogueToken,
  fails: [
    'invalidCredentials',
    'notFound',
    'forbidden',
    'secondFactorRequired',
    'rateLimited',
    'unavailable',
  ],
});

/** Served by the user service and validated by the gateway. */
export const ldapFactorContract = contract('POST /api/v1/auth/ldap/factor', {
  needs: 'nothing',
  returnsSecret: 'session',
  bodyLimit: LOGIN_BODY,
  summary: 'Log in at a directory with the second factor',
  description:
    'Completes a login at a directory that was answered with SECOND_FACTOR_REQUIRED. The code is from the authenticator app, or an unused recovery code. Five wrong codes in 15 minutes lead to 429 for the account.',
  body: jsonBody({
    factor_token: catalogueFactorContract.body.shape.factor_token,
    code: typedCode,
  }).meta(catalogueFactorContract.body.meta() ?? {}),
  returns: catalogueToken,
  fails: ['factorTokenInvalid', 'codeInvalid', 'notFound', 'forbidden', 'rateLimited', 'unavailable'],
});
