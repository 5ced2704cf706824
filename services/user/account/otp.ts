import { randomInt } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/users';
import type { Collection, Document, Filter, ObjectId, WithId } from 'mongodb';

/** Seconds (spec §Limits). */
export const OTP_VALIDITY = 60;
/** Wrong guesses after which a code is dead. */
export const GUESSES_PER_CODE = 5;
/** Wrong guesses after which an account's codes are not checked for the rest of an hour. */
export const GUESSES_PER_HOUR = 10;
/** Codes made for mailing to one account within an hour. */
export const MAILS_PER_HOUR = 10;
const HOUR = 3600;

/** Six decimal digits, leading zeros kept. */
const generateOtp = (): string => String(randomInt(1_000_000)).padStart(6, '0');

/** The part of a user record that a new code, made at `now` (Unix seconds), writes. */
export function newOtp(now: number) {
  return { otp: generateOtp(), otp_expiration: now + OTP_VALIDITY, otp_wrong_guesses: 0 };
}

/**
 * Gives the account that `filter` describes a new code, and `set` with it, in one write.
 * Counts it as mailed: the mail server may refuse it, the budget is spent all the same.
 * @returns the code, or nothing when the filter does not hold or the hour's mails are spent.
 */
export async function replaceOtp(
  users: Collection<User>,
  filter: Filter<User> & { _id: ObjectId },
  now: number,
  set: Partial<User> = {},
): Promise<string | undefined> {
  const fresh = newOtp(now);
  // Of the last ten mails, the oldest is more than an hour ago, or there are not yet ten.
  const withinBudget = {
    $or: [
      { [`otp_mail_times.${MAILS_PER_HOUR - 1}`]: { $exists: false } },
      { 'otp_mail_times.0': { $lte: now - HOUR } },
    ],
  };
  const { matchedCount } = await users.updateOne(
    { $and: [filter, withinBudget] },
    {
      $set: { ...set, ...fresh },
      $push: { otp_mail_times: { $each: [now], $slice: -MAILS_PER_HOUR } },
    },
  );
  return matchedCount === 1 ? fresh.otp : undefined;
}

/** The refusal of an account whose mails, or guesses, of the last hour are spent. */
export const hourlyBudgetSpent = (times: number[] = [], now: number): AppError =>
  new AppError('rateLimited', { retryAfter: (times[0] ?? now) + HOUR - now, limit: times.length });

/**
 * Checks a code: comparing, counting a wrong guess, and what a right one brings about are one atomic
 * write, so that a burst of parallel guesses is compared five times and no more.
 * @param onValid expressions, by field, that a right guess sets; see MongoDB's aggregation pipeline updates.
 * @returns the record afterwards; its `otp_verdict` is this check's.
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
  // A used code has no expiry left: it is invalid for good, not expired.
  const expired = { $lt: [{ $ifNull: ['$otp_expiration', now] }, now] };
  const dead = {
    $or: [
      { $gte: [guesses, GUESSES_PER_CODE] },
      { $ne: [{ $type: '$otp' }, 'string'] },
      { $not: [{ $isNumber: '$otp_expiration' }] }, // nobody knows until when an older record's code was good
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
  const setIf = (is: string, fields: Record<string, unknown>): Document => ({
    $set: Object.fromEntries(
      Object.entries(fields).map(([field, value]) => [
        field,
        { $cond: [{ $eq: ['$otp_verdict', is] }, value, `$${field}`] },
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
