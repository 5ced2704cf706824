import { IS_UNVERIFIED, type SignupAttempt } from '@gatehouse/shared/identity/users';
import { HOUR } from '../hourly-budget.ts';

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

/** Whether the attempt is pending, as an expression. */
export const isPending = (id: string) => ({
  $in: [{ $literal: id }, { $ifNull: ['$signup_attempts.id', []] }],
});

/** The fields with which an attempt is activated, as expressions. They change nothing on a verified account. */
export function activateAttempt(id: string) {
  const matching = { $filter: { input: stored, cond: { $eq: ['$$this.id', { $literal: id }] } } };
  const attempt = { $first: { $cond: [IS_UNVERIFIED, matching, []] } };
  const fieldOf = (field: 'password' | 'name') => ({
    $let: { vars: { attempt }, in: { $ifNull: [`$$attempt.${field}`, `$${field}`] } },
  });
  return { password: fieldOf('password'), name: fieldOf('name') };
}
