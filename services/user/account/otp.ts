import { randomInt, randomUUID } from 'node:crypto';
import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import { onlyIf } from '@gatehouse/shared/data/only-if';
import type { OtpVerdict, User } from '@gatehouse/shared/identity/user-record';
import { IS_UNVERIFIED } from '@gatehouse/shared/identity/users';
import type { Collection, Document, Filter, ObjectId, WithId } from 'mongodb';
import { codeUsed, type MailRequest, mailBudgetLeft, spendMail } from './mail-budget.ts';
import { addAttempt, isPending, keepFirstAttempt } from './signup-attempts.ts';

/** Seconds (CONTRACT.md §OTP). */
export const OTP_VALIDITY = 60;
/** Wrong guesses that kill a code, counted separately for the holder of its token. */
export const GUESSES_PER_CODE = 5;
/** Wrong guesses per account without the token. */
export const GUESSES_PER_HOUR = 10;

/** A new code and the id for the token of the call that issues it. */
export interface NewOtp {
  otp: string;
  attempt: string;
}

/** A code that replaces another, and the account with it. */
interface ReplacedOtp extends NewOtp {
  user: WithId<User>;
}

/** The fields of a new code, issued at `now` (Unix seconds). */
export const newOtp = (now: number) => ({
  otp: String(randomInt(1_000_000)).padStart(6, '0'),
  otp_expiration: now + OTP_VALIDITY,
  otp_attempt: randomUUID() as string,
  otp_wrong_guesses: 0,
  otp_holder_guesses: 0,
});

/** What a signup submits of an account. */
export type Submitted = Required<Pick<User, 'password' | 'name' | 'language'>>;

/**
 * Gives the matching account a new code and, at a signup, what was submitted, in one write. Spends one mail of its
 * budgets, even if the mail server then refuses it.
 * @param options.attempt the pending signup whose code is replaced; by default the code begins an attempt of its own.
 * @returns undefined if no account matches or the budget is spent.
 */
export async function replaceOtp(
  users: Collection<User>,
  filter: Filter<User> & { _id: ObjectId },
  request: MailRequest,
  { submitted, attempt }: { submitted?: Submitted; attempt?: string } = {},
): Promise<ReplacedOtp | undefined> {
  const { now } = request;
  const code = { ...newOtp(now), ...(attempt && { otp_attempt: attempt }) };
  const signup = submitted && {
    password: { $literal: submitted.password },
    name: { $literal: submitted.name },
    name_words: '$$REMOVE',
    language: submitted.language,
    signup_attempts: addAttempt({ id: code.otp_attempt, at: now, ...submitted }),
    first_attempt: keepFirstAttempt,
    unverified_since: {
      $cond: [{ $eq: [{ $type: '$unverified_since' }, 'date'] }, new Date(now * 1000), '$$REMOVE'],
    },
  };
  const user = await users.findOneAndUpdate(
    { $and: [filter, mailBudgetLeft(request)] },
    [{ $set: { ...code, ...signup, ...spendMail(request, code.otp_attempt) } }],
    { returnDocument: 'after' },
  );
  return user ? { otp: code.otp, attempt: code.otp_attempt, user } : undefined;
}

/** A guess as submitted, at `now` (Unix seconds). */
interface Guess {
  otp: string;
  /** The attempt id of the submitted token; undefined without a token, null for a token that is not valid. */
  attempt: string | null | undefined;
  now: number;
}

/**
 * Checks a code. Comparing, counting a wrong guess and applying `onValid` are one atomic write: parallel guesses
 * cannot exceed the limits. Guesses with the token of the current code are counted apart from all others: a stranger
 * cannot use up the guesses of the owner.
 * @param onValid the fields that a right guess sets, as expressions of an update pipeline.
 * @param refused whether a right guess counts as a wrong one, as an expression.
 * @returns the updated record, with this check's result in `otp_verdict`; null if the user is gone.
 */
export function checkOtp(
  users: Collection<User>,
  _id: ObjectId,
  { otp: guess, attempt, now }: Guess,
  onValid: Record<string, unknown> = {},
  refused: Document = { $literal: false },
): Promise<WithId<User> | null> {
  const isHolder = attempt ? { $eq: ['$otp_attempt', { $literal: attempt }] } : { $literal: false };
  const times = { $ifNull: ['$otp_wrong_guess_times', []] };
  const wrongGuesses = { $ifNull: ['$otp_wrong_guesses', 0] };
  const holderGuesses = { $ifNull: ['$otp_holder_guesses', 0] };
  const budgetSpent = {
    $and: [
      { $not: [isHolder] },
      { $gte: [{ $size: times }, GUESSES_PER_HOUR] },
      { $gt: [{ $arrayElemAt: [times, 0] }, now - HOUR] },
    ],
  };
  // A reset removes the expiry: a used code stays invalid, it never becomes expired.
  const expired = { $lt: [{ $ifNull: ['$otp_expiration', now] }, now] };
  const dead = {
    $or: [
      { $gte: [{ $cond: [isHolder, holderGuesses, wrongGuesses] }, GUESSES_PER_CODE] },
      { $ne: [{ $type: '$otp' }, 'string'] },
      { $not: [{ $isNumber: '$otp_expiration' }] }, // an older record: the code's expiry is unknown
    ],
  };
  const malformed = { $literal: attempt === null || !/^[0-9]{6}$/.test(guess) };
  // Falling back to the newest signup would activate a stranger's password for the holder of an older token.
  const unknownAttempt = attempt
    ? { $and: [IS_UNVERIFIED, { $not: [isHolder] }, { $not: [isPending(attempt)] }] }
    : { $literal: false };
  const verdict = {
    $switch: {
      branches: [
        { case: budgetSpent, then: 'budgetSpent' },
        { case: expired, then: 'expired' },
        { case: { $or: [dead, malformed, unknownAttempt] }, then: 'invalid' },
        { case: { $or: [{ $ne: ['$otp', { $literal: guess }] }, refused] }, then: 'wrong' },
      ],
      default: 'valid',
    },
  };
  const setIf = (expected: OtpVerdict, fields: Record<string, unknown>): Document => ({
    $set: onlyIf({ $eq: ['$otp_verdict', expected] }, fields),
  });
  return users.findOneAndUpdate(
    { _id },
    [
      { $set: { otp_verdict: verdict } },
      setIf('wrong', {
        otp_holder_guesses: { $cond: [isHolder, { $add: [holderGuesses, 1] }, '$otp_holder_guesses'] },
        otp_wrong_guesses: { $cond: [isHolder, '$otp_wrong_guesses', { $add: [wrongGuesses, 1] }] },
        otp_wrong_guess_times: {
          $cond: [
            isHolder,
            '$otp_wrong_guess_times',
            { $slice: [{ $concatArrays: [times, [now]] }, -GUESSES_PER_HOUR] },
          ],
        },
      }),
      setIf('valid', { otp_unused: codeUsed, ...onValid }),
    ],
    { returnDocument: 'after' },
  );
}
