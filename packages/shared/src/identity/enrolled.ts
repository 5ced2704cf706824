import type { Filter, WithId } from 'mongodb';
import type { SecondFactor, User } from './user-record.ts';

/** What the person of an enrolled account presents after the password (CONTRACT.md §Second factor). */
export const FACTOR_METHODS = ['totp', 'recovery_code'] as const;

export type FactorMethod = (typeof FACTOR_METHODS)[number];

export type EnrolledUser = Readonly<WithId<User>> & { second_factor: SecondFactor };

/**
 * Whether the account has a second factor. The reset by an operator ends it when it is due, also before a job has
 * removed it.
 * @param now Unix milliseconds.
 */
export const isEnrolled = <U extends User>(
  user: U,
  now: number,
): user is U & { second_factor: SecondFactor } => user.second_factor !== undefined && !isResetDue(user, now);

export const isResetDue = ({ factor_reset }: Pick<User, 'factor_reset'>, now: number): boolean =>
  factor_reset !== undefined && factor_reset.due_at.getTime() <= now;

/** Matches the account as long as it has this second factor. */
export const hasFactor = ({ _id, second_factor: { id } }: EnrolledUser, now: number): Filter<User> => ({
  _id,
  'second_factor.id': id,
  'factor_reset.due_at': { $not: { $lte: new Date(now) } },
});

/** The methods that are left to an enrolled account. */
export const factorMethods = ({ recovery_codes }: SecondFactor): FactorMethod[] =>
  FACTOR_METHODS.filter((method) => method === 'totp' || recovery_codes.length > 0);
