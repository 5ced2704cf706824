import { LOGIN_BODY } from '../http/body-limits.ts';
import { jsonBody, requiredText } from '../http/fields.ts';
import { contract } from '../operation/operation.ts';
import { catalogueToken } from './catalogue-login.ts';

/** Seconds in which the account page must exchange its code. */
export const CODE_LIFETIME = 60;

/** Served by the user service. The gateway knows it because it can put the token into a cookie. */
export const exchangeContract = contract('POST /api/v1/auth/sso/exchange', {
  needs: 'nothing',
  returnsSecret: 'session',
  bodyLimit: LOGIN_BODY,
  summary: 'Exchange the code of a finished login',
  description: `Returns a token that is valid for one hour. The code comes from the fragment of the account page’s address. It is valid for ${CODE_LIFETIME} seconds, once, and only with the cookie of the browser that began the login.`,
  body: jsonBody({ code: requiredText }).meta({
    examples: [{ code: 'ZmlmdHktdHdvIHJhbmRvbSBieXRlcyBpbiBiYXNlNjQ' }],
  }),
  returns: catalogueToken,
  fails: ['forbidden', 'secondFactorRequired', 'ssoRequired', 'rateLimited', 'unavailable'],
  audits: ['sso.login', 'login', 'account.restore'],
});
