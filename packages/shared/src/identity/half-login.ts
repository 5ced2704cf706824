import { type Collection, ObjectId } from 'mongodb';
import { AppError } from '../http/errors.ts';
import { type EnrolledUser, type FactorMethod, factorMethods, isEnrolled } from './enrolled.ts';
import type { LoginWay } from './login-ways.ts';
import { hasEnded } from './sessions.ts';
import type { HalfLogin } from './tokens.ts';
import type { User } from './user-record.ts';
import { findUserById } from './users.ts';
import { hasPasskey } from './ways-in.ts';

/** What half a login says about its account, for its token. */
export const halfLogin = (
  { _id, second_factor }: EnrolledUser,
  began: number,
  way: LoginWay = 'password',
): HalfLogin => ({
  account: _id.toHexString(),
  enrollment: second_factor.id,
  began,
  ...(way !== 'password' && { way }),
});

/** What completes half a login: a passkey is both factors. */
const methodsOf = (user: EnrolledUser): (FactorMethod | 'passkey')[] => [
  ...factorMethods(user.second_factor),
  ...(hasPasskey(user) ? ['passkey' as const] : []),
];

/** The refusal of a right first factor whose account has a second factor. Nothing is stored: half a login is no session. */
export const secondFactorRequired = (
  factor_token: string,
  user: EnrolledUser,
  methods = methodsOf(user),
): AppError => new AppError('secondFactorRequired', { details: { factor_token, methods } });

/**
 * Returns the account of half a login, unless its password, factor or state has changed since.
 * @param now Unix milliseconds.
 */
export async function accountOfHalfLogin(
  users: Collection<User>,
  { account, enrollment, began }: HalfLogin,
  now: number,
): Promise<EnrolledUser | undefined> {
  const user = ObjectId.isValid(account) ? await findUserById(users, new ObjectId(account)) : null;
  if (!user || !isEnrolled(user, now) || user.second_factor.id !== enrollment) return undefined;
  const isOpen = user.verified && user.account_status !== 'disabled';
  return isOpen && !hasEnded(user, { id: '', beganAt: began }) ? user : undefined;
}
