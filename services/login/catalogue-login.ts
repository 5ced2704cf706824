import { catalogueLoginContract } from '@gatehouse/shared/contract/catalogue-login';
import { LOGIN_BODY } from '@gatehouse/shared/http/body-limits';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import { LIFETIME } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { checkCredentials, type LoginOptions } from './check-credentials.ts';

/** CONTRACT.md §Catalogue login does not reveal whether an account exists. */
const REFUSALS = {
  errors: {
    'unknown account': 'invalidCredentials',
    'wrong password': 'invalidCredentials',
    'account disabled': 'invalidCredentials',
    'not verified': 'accountNotVerified',
    'single sign-on required': 'ssoRequired',
  },
  hidesAccounts: true,
} as const;

/** POST /api/v1/auth/login (CONTRACT.md §Catalogue login). */
export const catalogueLogin: FastifyPluginAsyncZod<LoginOptions> = async (app, options) => {
  const { tokens, now } = options;
  app.post(
    '/api/v1/auth/login',
    { schema: catalogueLoginContract, config: { public: true }, bodyLimit: LOGIN_BODY },
    async (request, reply) => {
      const began = now();
      // The session begins before the password is read, so a reset during this login ends it.
      const session = { sid: newSessionId(began), lifetime: LIFETIME.catalogue };
      const user = await checkCredentials(options, request, request.body, REFUSALS, session, began);
      const user_id = userIdOf(user);
      reply.header('cache-control', 'no-store');
      return {
        access_token: tokens.session({ email: user.email, user_id }, now(), session),
        token_type: 'Bearer' as const,
        expires_in: LIFETIME.catalogue,
        user_id,
      };
    },
  );
};
