import { randomInt } from 'node:crypto';
import type { OtpVerdict, User } from '@gatehouse/shared/identity/users';
import type { Collection, Document, Filter, ObjectId, WithId } from 'mongodb';
import { budgetLeft, HOUR, spendBudget } from '../hourly-budget.ts';

/** Seconds (CONTRACT.md §OTP). */
export const OTP_VALIDITY = 60;
/** Wrong guesses that kill a code. */
const GUESSES_PER_CODE = 5;
/** Wrong guesses per account. */
const GUESSES_PER_HOUR = 10;
/** Codes mailed per account. */
const MAILS_PER_HOUR = 10;

/** The fields of a new code, issued at `now` (Unix seconds). */
export const newOtp = (now: number) => ({
  otp: String(randomInt(1_000_000)).padStart(6, '0'),
  otp_expiration: now + OTP_VALIDITY,
  otp_wrong_guesses: 0,
});

/**
 * Gives the matching account a new code, and the fields of `set`, in one write. Spends one mail of the hourly
 * budget, even if the mail server then refuses it.
 * @returns the code; undefined if no account matches or the budget is spent.
 */
export async function replaceOtp(
  users: Collection<User>,
  filter: Filter<User> & { _id: ObjectId },
  now: number,
  set: Partial<User> = {},
): Promise<string | undefined> {
  const code = newOtp(now);
  const { matchedCount } = await users.updateOne(
    { $and: [filter, budgetLeft('otp_mail_times', MAILS_PER_HOUR, now)] },
    { $set: { ...set, ...code }, $push: spendBudget('otp_mail_times', MAILS_PER_HOUR, now) },
  );
  return matchedCount === 1 ? code.otp : undefined;
}

/**
 * Checks a code. Comparing, counting a wrong guess and applying `onValid` are one atomic write, so that parallel
 * guesses cannot exceed the limits.
 * @param onValid the fields that a right guess sets, as expressions of an update pipeline.
 * @returns the updated record, with this check's result in `otp_verdict`; null if the user is gone.
 */
export function checkOtp(
  users: Collection<User>,
  _id: ObjectId,
  guess: string,
  now: number,
  onValid: Record<string, unknown>,
): Promise<WithId<User> | null> {
  const times = { $ifNull: ['$otp_wrong_guess_times', []] };
  const guesses = { $ifNull: ['$otp_wrong_guesses', 0] };
  const budgetSpent = {
    $and: [
      { $gte: [{ $size: times }, GUESSES_PER_HOUR] },
      { $gt: [{ $arrayElemAt: [times, 0] }, now - HOUR] },
    ],
  };
  // A reset removes the expiry: a used code stays invalid, it never becomes expired.
  const expired = { $lt: [{ $ifNull: ['$otp_expiration', now] }, now] };
  const dead = {
    $or: [
      { $gte: [guesses, GUESSES_PER_CODE] },
      { $ne: [{ $type: '$otp' }, 'string'] },
      { $not: [{ $isNumber: '$otp_expiration' }] }, // an older record: the code's expiry is unknown
    ],
  };
  const malformed = { $literal: !/^[0-9]{6}$/.test(guess) };
  const verdict = {
    $switch: {
      branches: [
        { case: budgetSpent, then: 'budgetSpent' },
        { case: expired, then: 'expired' },
        { case: { $or: [dead, malformed] }, then: 'invalid' },
        { case: { $ne: ['$otp', { $literal: guess }] }, then: 'wrong' },
      ],
      default: 'valid',
    },
  };
  const setIf = (expected: OtpVerdict, fields: Record<string, unknown>): Document => ({
    $set: Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [
        field,
        { $cond: [{ $eq: ['$otp_verdict', expected] }, value, `$${field}`] },
      ]),
    ),
  });
  return users.findOneAndUpdate(
    { _id },
    [
      { $set: { otp_verdict: verdict } },
      setIf('wrong', {
        otp_wrong_guesses: { $add: [guesses, 1] },
        otp_wrong_guess_times: { $slice: [{ $concatArrays: [times, [now]] }, -GUESSES_PER_HOUR] },
      }),
      setIf('valid', onValid),
    ],
    { returnDocument: 'after' },
  );
}
