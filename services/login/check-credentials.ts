import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { ensureFeatures } from '@gatehouse/shared/identity/features';
import type { Passwords } from '@gatehouse/shared/identity/passwords';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { findUserByEmail, type User, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from './database.ts';

/** Options of both login routes. */
export interface LoginOptions {
  db: Database;
  passwords: Passwords;
  tokens: Tokens;
  now: () => number;
}

/** The error with which a contract answers each failed check. */
type Refusals = Record<'unknown account' | 'wrong password' | 'not verified', ErrorName>;

/**
 * Returns the user with this e-mail and password (CONTRACT.md §Login, 1 to 3). Logs and audits every attempt.
 * @throws {AppError} the refusal of the first check that fails.
 */
export async function checkCredentials(
  { db, passwords }: Pick<LoginOptions, 'db' | 'passwords'>,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
  refusals: Refusals,
  now: number,
): Promise<WithId<User>> {
  const user = await findUserByEmail(db.users, email);
  const refusal = await refusalOf(user, password, passwords);
  const user_id = user && userIdOf(user);
  await audit(db, request, now, { action: 'login', outcome: refusal ?? 'success', email, user_id });
  if (refusal || !user) throw new AppError(refusals[refusal ?? 'unknown account']);
  await ensureFeatures(db, user, now);
  return user;
}

async function refusalOf(
  user: User | null,
  password: string,
  passwords: Passwords,
): Promise<keyof Refusals | undefined> {
  if (!user) return 'unknown account';
  if (!(await passwords.matches(user.password, password))) return 'wrong password';
  return user.verified ? undefined : 'not verified';
}
