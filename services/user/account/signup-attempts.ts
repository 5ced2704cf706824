import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import type { SignupAttempt, User } from '@gatehouse/shared/identity/user-record';
import { IS_UNVERIFIED } from '@gatehouse/shared/identity/users';

/**
 * Each signup of an unverified address is an attempt with its own id, which the signup token carries. So a
 * stranger who signs up an address again cannot plant a password for an owner who verifies with their token.
 */
const MAX_ATTEMPTS = 10;

const stored = { $ifNull: ['$signup_attempts', []] };

/** The value of `signup_attempts` after a signup, as an expression. An attempt lasts an hour. */
export const addAttempt = ({ id, at, password, name }: SignupAttempt) => ({
  $slice: [
    {
      $concatArrays: [
        { $filter: { input: stored, cond: { $gt: ['$$this.at', at - HOUR] } } },
        [{ id, at, password: { $literal: password }, name: { $literal: name } }],
      ],
    },
    -MAX_ATTEMPTS,
  ],
});

const ids = { $ifNull: ['$signup_attempts.id', []] };

/** Whether the attempt is pending, as an expression. */
export const isPending = (id: string) => ({ $in: [{ $literal: id }, ids] });

/**
 * The value of `first_attempt` after another signup, as an expression. A record of the previous version has none; the
 * empty id is that of no signup.
 */
export const keepFirstAttempt = { $ifNull: ['$first_attempt', ''] };

/**
 * Whether the password of an unverified record comes from the signup that made it or from a reset. Otherwise it may
 * be a stranger's. `IS_ONLY_SIGNUP` is the same as an expression.
 */
export function isOnlySignup({ signup_attempts = [], first_attempt }: User): boolean {
  const newest = signup_attempts.at(-1)?.id;
  // A reset removes the list, and older records have none.
  return newest === undefined || newest === (first_attempt ?? signup_attempts[0]?.id);
}
const IS_ONLY_SIGNUP = {
  $or: [{ $eq: [ids, []] }, { $eq: [{ $last: ids }, { $ifNull: ['$first_attempt', { $first: ids }] }] }],
};

/**
 * Whether the current code activates nothing, as an expression: forgot-password issued it, no token names a signup, and
 * the password may be a stranger's (CONTRACT.md §Verify OTP).
 * @param attempt that of the submitted token, if any.
 */
export const activatesNothing = (attempt: string | null | undefined) => ({
  $and: [
    IS_UNVERIFIED,
    { $not: [{ $in: [attempt ? { $literal: attempt } : '$otp_attempt', ids] }] },
    { $not: [IS_ONLY_SIGNUP] },
  ],
});

/** The fields with which an attempt is activated, as expressions. They change nothing on a verified account. */
export function activateAttempt(id: string) {
  const matching = { $filter: { input: stored, cond: { $eq: ['$$this.id', { $literal: id }] } } };
  const attempt = { $first: { $cond: [IS_UNVERIFIED, matching, []] } };
  const fieldOf = (field: 'password' | 'name') => ({
    $let: { vars: { attempt }, in: { $ifNull: [`$$attempt.${field}`, `$${field}`] } },
  });
  return { password: fieldOf('password'), name: fieldOf('name'), name_words: '$$REMOVE' };
}
