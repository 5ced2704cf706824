import { loginContract } from '@gatehouse/shared/contract/direct';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { checkCredentials } from './check-credentials.ts';
import type { Database } from './database.ts';

/** spec §Errors: the 404 reveals whether an account exists, on purpose. */
const REFUSALS = {
  'unknown account': 'accountDoesNotExist',
  'wrong password': 'invalidCredentials',
  'not verified': 'accountNotVerified',
} as const;

/** POST /v2/login (spec §Direct contract). No rate limit and no lockout here: the gateway has them. */
export const login: FastifyPluginAsyncZod<{ db: Database; tokens: Tokens; now: () => number }> = async (
  app,
  { db, tokens, now },
) => {
  app.post('/v2/login', { schema: loginContract }, async (request, reply) => {
    const began = now();
    const user = await checkCredentials(db, request, request.body, REFUSALS, began);
    const user_id = userIdOf(user);
    // Begun before the password was read, the session ends with a reset that came in between.
    const token = tokens.session({ email: user.email, user_id }, now(), { sid: newSessionId(began) });
    reply.header('cache-control', 'no-store');
    return { message: 'Login successful' as const, token, user_id };
  });
};
