import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Collections } from '../data/connect.ts';
import { AppError } from '../http/errors.ts';
import { audit, type auditCollections, auditedSession } from './audit.ts';
import { restoreAccount } from './deletion.ts';
import { ensureFeatures, type featureCollections } from './features.ts';
import { rememberSignIn } from './known-networks.ts';
import { auditedWay, type LoginWay } from './login-ways.ts';
import { newSessionId, type Tokens } from './tokens.ts';
import type { User } from './user-record.ts';
import { type userCollections, userIdOf } from './users.ts';

/** The contract of a login, which decides how long its token is valid. */
export type LoginContract = keyof Tokens['lifetime'];

export interface BegunSession {
  token: string;
  /** Seconds for which the token is valid. */
  lifetime: number;
  user_id: string | null;
}

interface LoginCall {
  db: Collections<typeof userCollections & typeof featureCollections & typeof auditCollections>;
  tokens: Tokens;
  /** Returns Unix milliseconds. */
  now: () => number;
  request: FastifyRequest;
}

/**
 * Begins a session for a person whose every factor was right, and audits the login.
 * @param login.mfa whether they have presented a second factor or a passkey.
 * @param login.began when the first factor was checked, in Unix milliseconds: a reset since then ends the session.
 * @throws {AppError} invalidCredentials if the account is being deleted.
 */
export async function beginSession(
  { db, tokens, now, request }: LoginCall,
  user: WithId<User>,
  {
    began,
    contract,
    way,
    mfa = false,
  }: { began: number; contract: LoginContract; way: LoginWay; mfa?: boolean },
): Promise<BegunSession> {
  if (!(await restoreAccount(db, request, user, now()))) throw new AppError('invalidCredentials');
  const lifetime = tokens.lifetime[contract];
  const sid = newSessionId(began);
  const { email } = user;
  const user_id = userIdOf(user);
  const session = auditedSession(request, sid, lifetime, now());
  await audit(db, request, now(), { action: 'login', email, user_id, session, ...auditedWay(way) });
  await Promise.all([
    ensureFeatures(db, user, now()),
    rememberSignIn(db.users, user, request, now()).catch((error) => {
      request.log.warn({ err: error }, 'device and network of a login not remembered');
    }),
  ]);
  return { token: tokens.session({ email, user_id }, now(), { sid, lifetime, mfa }), lifetime, user_id };
}
