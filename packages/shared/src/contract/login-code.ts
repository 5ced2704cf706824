import { z } from 'zod';
import { LOGIN_BODY } from '../http/body-limits.ts';
import { jsonBody, typedCode } from '../http/fields.ts';
import { LOGIN_CODE_LIFETIME } from '../identity/tokens.ts';
import { contract } from '../operation/operation.ts';
import { catalogueToken } from './catalogue-login.ts';
import { form, knownEmail, loggedIn } from './direct.ts';

/** The login by a mailed code (CONTRACT.md §Login by a mailed code), served by the user service while LOGIN_BY_CODE is on. */

const TOKEN = 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImxvZ2luLWNvZGUrand0In0.…';
const ADDRESS = { email: knownEmail };
const GUESS = {
  ...ADDRESS,
  code: typedCode.meta({ examples: ['048213'] }),
  token: z.string().exactOptional().meta({
    description:
      'The token of the request. With it, the code stays valid when a later request replaces it. Guesses with it are counted separately.',
  }),
};

const requesting = {
  summary: 'Request a code to log in',
  description: `Mails a code that is valid for ${LOGIN_CODE_LIFETIME / 60} minutes, and a link with it, to the address of a verified account. It replaces earlier codes, each of which stays valid with its own token only. The answer is the same for every address. Each mailbox gets ten codes an hour and twenty unused login codes a day, ten of them from one client network. Each client network gets thirty an hour.`,
  returns: z.object({ token: z.string(), expires_in: z.int() }).meta({
    description:
      'If the address has a verified account, its code is on the way. The token belongs to this request and is never accepted as a bearer; `expires_in` is in seconds.',
    examples: [{ token: TOKEN, expires_in: LOGIN_CODE_LIFETIME }],
  }),
  fails: ['rateLimited', 'unavailable'],
} as const;

const verifying = {
  summary: 'Log in with a mailed code',
  description:
    'Uses the code. The answer is that of a login with a password. Five wrong guesses invalidate the code, and guesses with the token of the request are counted separately. The error does not reveal whether the e-mail is known.',
  fails: [
    'codeInvalid',
    'accountNotVerified',
    'ssoRequired',
    'secondFactorRequired',
    'rateLimited',
    'unavailable',
  ],
} as const;

const json = { needs: 'nothing', returnsSecret: true, bodyLimit: LOGIN_BODY } as const;

export const requestLoginCode = {
  catalogue: contract('POST /api/v1/auth/login/code', {
    ...json,
    ...requesting,
    body: jsonBody(ADDRESS).meta({ examples: [{ email: 'ada@example.com' }] }),
  }),
  direct: contract('POST /v2/login/code', { ...form, ...requesting, body: z.object(ADDRESS) }),
};

export const verifyLoginCode = {
  catalogue: contract('POST /api/v1/auth/login/code/verify', {
    ...json,
    ...verifying,
    returnsSecret: 'session',
    body: jsonBody(GUESS).meta({ examples: [{ email: 'ada@example.com', code: '048213', token: TOKEN }] }),
    returns: catalogueToken,
  }),
  direct: contract('POST /v2/login/code/verify', {
    ...form,
    ...verifying,
    returnsSecret: 'session',
    body: z.object(GUESS),
    returns: loggedIn,
  }),
};
