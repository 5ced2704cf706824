import { AppError, type ErrorName } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { ensureFeatures } from '@gatehouse/shared/identity/features';
import { passwordMatches } from '@gatehouse/shared/identity/passwords';
import { findUserByEmail, type User, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from './database.ts';

/** How a contract names the ways in which a login fails. */
interface Refusals {
  'unknown account': ErrorName;
  'wrong password': ErrorName;
  'not verified': ErrorName;
}

/**
 * Whose e-mail and password these are (spec §Direct contract, login 1 to 3). Every attempt is logged and
 * recorded with its outcome.
 * @throws {AppError} the refusal of the first check that fails.
 */
export async function checkCredentials(
  db: Database,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
  refusals: Refusals,
  now: number,
): Promise<WithId<User>> {
  const user = await findUserByEmail(db.users, email);
  const refusal = await refusalOf(user, password);
  const user_id = user && userIdOf(user);
  await audit(db, request, now, { action: 'login', outcome: refusal ?? 'success', email, user_id });
  if (refusal || !user) throw new AppError(refusals[refusal ?? 'unknown account']);
  await ensureFeatures(db, user, now);
  return user;
}

async function refusalOf(user: User | null, password: string): Promise<keyof Refusals | undefined> {
  if (!user) return 'unknown account';
  if (!(await passwordMatches(user.password, password))) return 'wrong password';
  return user.verified ? undefined : 'not verified';
}
