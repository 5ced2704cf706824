import { audit, auditedSession } from '@gatehouse/shared/identity/audit';
import { ensureFeatures } from '@gatehouse/shared/identity/features';
import { newSessionId } from '@gatehouse/shared/identity/tokens';
import { type User, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { rememberNetwork } from './known-networks.ts';
import type { LoginDependencies } from './operation.ts';

/**
 * Begins a session for a person whose every factor was right, and audits the login.
 * @param times.began when the password was checked, in Unix milliseconds: a reset since then ends the session.
 * @param times.lifetime seconds for which the token is valid.
 */
export async function beginSession(
  {
    db,
    tokens,
    now,
    request,
  }: Pick<LoginDependencies, 'db' | 'tokens' | 'now'> & { request: FastifyRequest },
  user: WithId<User>,
  { began, lifetime }: { began: number; lifetime: number },
): Promise<{ token: string; user_id: string | null }> {
  const sid = newSessionId(began);
  const { email } = user;
  const user_id = userIdOf(user);
  const session = auditedSession(request, sid, lifetime, now());
  await audit(db, request, began, { action: 'login', email, user_id, session });
  await Promise.all([
    ensureFeatures(db, user, began),
    rememberNetwork(db.users, user, request.ip).catch((error) => {
      request.log.warn({ err: error }, 'network of a login not remembered');
    }),
  ]);
  return { token: tokens.session({ email, user_id }, now(), { sid, lifetime }), user_id };
}
