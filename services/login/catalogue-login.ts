import { catalogueLoginContract } from '@gatehouse/shared/contract/catalogue-login';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import { LIFETIME, type Tokens } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { checkCredentials } from './check-credentials.ts';
import type { Database } from './database.ts';

/** This contract does not tell who has an account. */
const REFUSALS = {
  'unknown account': 'invalidCredentials',
  'wrong password': 'invalidCredentials',
  'not verified': 'accountNotVerified',
} as const;

/** POST /api/v1/auth/login (spec §Gateway catalogue contract). */
export const catalogueLogin: FastifyPluginAsyncZod<{
  db: Database;
  tokens: Tokens;
  now: () => number;
}> = async (app, { db, tokens, now }) => {
  app.post(
    '/api/v1/auth/login',
    { schema: catalogueLoginContract, config: { public: true } },
    async (request, reply) => {
      const began = now();
      const user = await checkCredentials(db, request, request.body, REFUSALS, began);
      const user_id = userIdOf(user);
      reply.header('cache-control', 'no-store');
      return {
        // Begun before the password was read, the session ends with a reset that came in between.
        access_token: tokens.session({ email: user.email, user_id }, now(), {
          lifetime: LIFETIME.catalogue,
          sid: newSessionId(began),
        }),
        token_type: 'Bearer' as const,
        expires_in: LIFETIME.catalogue,
        user_id,
      };
    },
  );
};
