import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import type { User } from '@gatehouse/shared/identity/user-record';
import { mailRetryAfter } from '../../../account/mail-budget.ts';
import { GUESSES_PER_CODE, GUESSES_PER_HOUR } from '../../../account/otp.ts';
import { timeOf } from './words.ts';

/** When the newest code of an account was issued, in Unix seconds. */
export const codeIssuedAt = ({ otp_mails, otp_unused }: User): number | undefined =>
  otp_mails?.at(-1)?.at ?? otp_unused?.at(-1)?.at;

/** What is left of the codes of an account, in sentences. @param now Unix milliseconds. */
export function codeTexts(user: User, now: number): string[] {
  const seconds = Math.floor(now / 1000);
  const issued = codeIssuedAt(user);
  const isVoid = Math.max(user.otp_wrong_guesses ?? 0, user.otp_holder_guesses ?? 0) >= GUESSES_PER_CODE;
  const isExpired = (user.otp_expiration ?? 0) < seconds;
  const state = isVoid
    ? 'is void after too many wrong guesses'
    : isExpired
      ? 'has expired'
      : 'is valid for a minute';
  const issue =
    issued === undefined
      ? 'No code is known that was mailed lately.'
      : `The last code was mailed at ${timeOf(issued * 1000)} and ${state}.`;
  return [issue, ...spentTexts(user, now)];
}

/** Which budgets of codes an account has spent, in sentences. @param now Unix milliseconds. */
export function spentTexts(user: User, now: number): string[] {
  const seconds = Math.floor(now / 1000);
  const wait = mailRetryAfter(user, { now: seconds, networks: [] });
  const guesses = user.otp_wrong_guess_times ?? [];
  const opens = (guesses.at(-GUESSES_PER_HOUR) ?? 0) + HOUR;
  return [
    ...(wait > 0 ? [`No further code is mailed until ${timeOf(now + wait * 1000)}.`] : []),
    ...(guesses.length >= GUESSES_PER_HOUR && opens > seconds
      ? [
          `Too many wrong codes: without the token of its request, no code is accepted until ${timeOf(opens * 1000)}.`,
        ]
      : []),
  ];
}
