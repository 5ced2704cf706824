import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/users';
import type { Filter } from 'mongodb';
import { HOUR } from '../hourly-budget.ts';

/**
 * Codes mailed to one account within a sliding hour (CONTRACT.md §OTP). The share of one client network keeps a
 * stranger from using up the codes of the owner.
 */
const PER_ACCOUNT = 10;
const PER_NETWORK = 5;

/** Who asks for a code, and when (Unix seconds). */
export interface MailRequest {
  now: number;
  /** The key of the client's address (`addressKey`). */
  network: string;
}

const recentMails = (now: number) => ({
  $filter: { input: { $ifNull: ['$otp_mails', []] }, cond: { $gt: ['$$this.at', now - HOUR] } },
});

/** Matches accounts to which this request may have a code mailed. */
export function mailBudgetLeft({ now, network }: MailRequest): Filter<User> {
  const recent = recentMails(now);
  const ofNetwork = {
    $filter: { input: recent, cond: { $eq: ['$$this.network', { $literal: network }] } },
  };
  return {
    $expr: {
      $and: [{ $lt: [{ $size: recent }, PER_ACCOUNT] }, { $lt: [{ $size: ofNetwork }, PER_NETWORK] }],
    },
  };
}

/** The value of `otp_mails` after this request, as an expression. */
export const spendMail = ({ now, network }: MailRequest) => ({
  $concatArrays: [recentMails(now), [{ at: now, network: { $literal: network } }]],
});

/** Seconds until this request may have a code mailed; 0 if it may now. */
export function mailRetryAfter(
  { otp_mails = [] }: Pick<User, 'otp_mails'>,
  { now, network }: MailRequest,
): number {
  const wait = (mails: { at: number }[], limit: number) =>
    mails.length < limit ? 0 : (mails.at(-limit)?.at ?? 0) + HOUR - now;
  const recent = otp_mails.filter(({ at }) => at > now - HOUR);
  const ofNetwork = recent.filter((mail) => mail.network === network);
  return Math.max(wait(recent, PER_ACCOUNT), wait(ofNetwork, PER_NETWORK));
}

/** The 429 for a request whose mails of the hour are spent. */
export const mailBudgetSpent = (user: Pick<User, 'otp_mails'>, request: MailRequest): AppError =>
  new AppError('rateLimited', { retryAfter: Math.max(1, mailRetryAfter(user, request)), limit: PER_ACCOUNT });
