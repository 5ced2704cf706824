import { loginContract } from '@gatehouse/shared/contract/direct';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import { LIFETIME } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { checkCredentials, type LoginOptions } from './check-credentials.ts';

/** CONTRACT.md §Login: the 404 reveals on purpose whether an account exists. */
const REFUSALS = {
  errors: {
    'unknown account': 'accountDoesNotExist',
    'wrong password': 'invalidCredentials',
    'account disabled': 'invalidCredentials',
    'not verified': 'accountNotVerified',
    'single sign-on required': 'ssoRequired',
  },
  hidesAccounts: false,
} as const;

/** POST /v2/login (CONTRACT.md §Login). No rate limit and no lockout here: the gateway has them. */
export const login: FastifyPluginAsyncZod<LoginOptions> = async (app, options) => {
  const { tokens, now } = options;
  app.post('/v2/login', { schema: loginContract }, async (request) => {
    const began = now();
    // The session begins before the password is read, so a reset during this login ends it.
    const session = { sid: newSessionId(began), lifetime: LIFETIME.direct };
    const user = await checkCredentials(options, request, request.body, REFUSALS, session, began);
    const user_id = userIdOf(user);
    const token = tokens.session({ email: user.email, user_id }, now(), session);
    return { message: 'Login successful' as const, token, user_id };
  });
};
