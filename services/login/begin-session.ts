import { AppError } from '@gatehouse/shared/http/errors';
import { audit, auditedSession } from '@gatehouse/shared/identity/audit';
import { restoreAccount } from '@gatehouse/shared/identity/deletion';
import { ensureFeatures } from '@gatehouse/shared/identity/features';
import { newSessionId, type Tokens } from '@gatehouse/shared/identity/tokens';
import { type User, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { rememberSignIn } from './known-networks.ts';
import type { LoginDependencies } from './operation.ts';

/** The contract of a login, which decides how long its token is valid. */
export type LoginContract = keyof Tokens['lifetime'];

export interface BegunSession {
  token: string;
  /** Seconds for which the token is valid. */
  lifetime: number;
  user_id: string | null;
}

/**
 * Begins a session for a person whose every factor was right, and audits the login.
 * @param began when the password was checked, in Unix milliseconds: a reset since then ends the session.
 * @throws {AppError} invalidCredentials if the account is being deleted.
 */
export async function beginSession(
  {
    db,
    tokens,
    now,
    request,
  }: Pick<LoginDependencies, 'db' | 'tokens' | 'now'> & { request: FastifyRequest },
  user: WithId<User>,
  { began, contract }: { began: number; contract: LoginContract },
): Promise<BegunSession> {
  if (!(await restoreAccount(db, request, user, now()))) throw new AppError('invalidCredentials');
  const lifetime = tokens.lifetime[contract];
  const sid = newSessionId(began);
  const { email } = user;
  const user_id = userIdOf(user);
  const session = auditedSession(request, sid, lifetime, now());
  await audit(db, request, now(), { action: 'login', email, user_id, session });
  await Promise.all([
    ensureFeatures(db, user, now()),
    rememberSignIn(db.users, user, request, now()).catch((error) => {
      request.log.warn({ err: error }, 'device and network of a login not remembered');
    }),
  ]);
  return { token: tokens.session({ email, user_id }, now(), { sid, lifetime }), lifetime, user_id };
}
