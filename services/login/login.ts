import { audit } from '@gatehouse/shared/audit';
import type { Database } from '@gatehouse/shared/database';
import { loginContract } from '@gatehouse/shared/direct-contract';
import { AppError } from '@gatehouse/shared/errors';
import { ensureFeatures } from '@gatehouse/shared/features';
import { passwordMatches } from '@gatehouse/shared/passwords';
import type { Tokens } from '@gatehouse/shared/tokens';
import { findUserByEmail, userIdOf } from '@gatehouse/shared/users';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';

/** POST /v2/login (spec §Direct contract). No rate limit and no lockout here: the gateway has them. */
export async function login(
  root: FastifyInstance,
  { db, tokens, now }: { db: Database; tokens: Tokens; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .post('/v2/login', { schema: loginContract }, async (request, reply) => {
      const { email, password } = request.body;
      const user = await findUserByEmail(db.users, email);
      const user_id = user && userIdOf(user);
      const record = (outcome: string) =>
        audit(db, request, now(), { action: 'login', outcome, email, user_id });

      if (!user) {
        await record('unknown account');
        throw new AppError('accountDoesNotExist');
      }
      if (!(await passwordMatches(user.password, password))) {
        await record('wrong password');
        throw new AppError('invalidCredentials');
      }
      if (!user.verified) {
        await record('not verified');
        throw new AppError('accountNotVerified');
      }
      await ensureFeatures(db, user, now());
      await record('success');
      reply.header('cache-control', 'no-store');
      return {
        message: 'Login successful' as const,
        token: tokens.session({ email: user.email, user_id }, now()),
        user_id,
      };
    });
}
