import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import type { Network } from '@gatehouse/shared/http/address';
import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Filter } from 'mongodb';

/**
 * Codes mailed to one account within a sliding hour (CONTRACT.md §OTP). The share of one client network keeps a
 * stranger from using up the codes of the owner.
 */
const PER_ACCOUNT = 10;
const PER_NETWORK = 5;
/** Mails of the account's budget that one IPv6 /56 or /48 cannot use; they stay for the owner. */
const LEFT_BY_NETWORK = 2;
/** Unused codes of one account within a sliding day, shared like those of an hour. */
const UNUSED_PER_DAY = 20;
const UNUSED_PER_NETWORK = 10;
const UNUSED_LEFT_BY_NETWORK = 4;
const DAY = 24 * HOUR;

/** Who asks for a code, and when (Unix seconds). */
export interface MailRequest {
  now: number;
  /** The networks of the client, narrowest first (`networksOf`). */
  networks: readonly Network[];
}

type Mail = NonNullable<User['otp_mails']>[number];
type UnusedCode = NonNullable<User['otp_unused']>[number];

/** How many of an account's codes in an hour one of these networks may ask for. */
const limitOf = ({ share }: Network) => Math.min(PER_NETWORK * share, PER_ACCOUNT - LEFT_BY_NETWORK);
/** The same for unused codes in a day. */
const unusedLimitOf = ({ share }: Network) =>
  Math.min(UNUSED_PER_NETWORK * share, UNUSED_PER_DAY - UNUSED_LEFT_BY_NETWORK);

const recentMails = (now: number) => ({
  $filter: { input: { $ifNull: ['$otp_mails', []] }, cond: { $gt: ['$$this.at', now - HOUR] } },
});

const unusedCodes = (now: number) => ({
  $filter: { input: { $ifNull: ['$otp_unused', []] }, cond: { $gt: ['$$this.at', now - DAY] } },
});

/** Matches accounts to which this request may have a code mailed. */
export function mailBudgetLeft({ now, networks }: MailRequest): Filter<User> {
  const recent = recentMails(now);
  const unused = unusedCodes(now);
  const below = (list: object, limit: number) => ({ $lt: [{ $size: list }, limit] });
  const ofNetwork = (input: object, { key }: Network) => ({
    $filter: {
      input,
      cond: {
        $in: [{ $literal: key }, { $concatArrays: [['$$this.network'], { $ifNull: ['$$this.wider', []] }] }],
      },
    },
  });
  return {
    $expr: {
      $and: [
        below(recent, PER_ACCOUNT),
        below(unused, UNUSED_PER_DAY),
        ...networks.flatMap((network) => [
          below(ofNetwork(recent, network), limitOf(network)),
          below(ofNetwork(unused, network), unusedLimitOf(network)),
        ]),
      ],
    },
  };
}

/** The mail of this request, as it is stored. */
export function mailOf({ now, networks: [narrowest, ...wider] }: MailRequest): Mail {
  const network = narrowest?.key ?? '';
  return { at: now, network, ...(wider.length > 0 && { wider: wider.map(({ key }) => key) }) };
}

/** Its code until it is used, as it is stored. */
export const unusedCode = (request: MailRequest, attempt: string): UnusedCode => ({
  ...mailOf(request),
  attempt,
});

/** The fields after this request, as expressions. */
export const spendMail = (request: MailRequest, attempt: string) => ({
  otp_mails: { $concatArrays: [recentMails(request.now), [{ $literal: mailOf(request) }]] },
  otp_unused: { $concatArrays: [unusedCodes(request.now), [{ $literal: unusedCode(request, attempt) }]] },
});

const isNewestUnused = { $eq: [{ $last: '$otp_unused.attempt' }, '$otp_attempt'] };
const earlierUnused = {
  $cond: [
    { $gt: [{ $size: '$otp_unused' }, 1] },
    { $slice: ['$otp_unused', { $subtract: [{ $size: '$otp_unused' }, 1] }] },
    '$$REMOVE',
  ],
};

/** The value of `otp_unused` after the current code, which is the newest, was used; as an expression. */
export const codeUsed = { $cond: [isNewestUnused, earlierUnused, '$otp_unused'] };

/** Seconds until this request may have a code mailed; 0 if it may now. */
export function mailRetryAfter(
  { otp_mails = [], otp_unused = [] }: Pick<User, 'otp_mails' | 'otp_unused'>,
  { now, networks }: MailRequest,
): number {
  const wait = (mails: { at: number }[], limit: number, seconds = HOUR) =>
    mails.length < limit ? 0 : (mails.at(-limit)?.at ?? 0) + seconds - now;
  const recent = otp_mails.filter(({ at }) => at > now - HOUR);
  const unused = otp_unused.filter(({ at }) => at > now - DAY);
  const ofNetwork = <Code extends Partial<Mail>>(codes: Code[], { key }: Network) =>
    codes.filter(({ network, wider = [] }) => [network, ...wider].includes(key));
  return Math.max(
    wait(recent, PER_ACCOUNT),
    wait(unused, UNUSED_PER_DAY, DAY),
    ...networks.flatMap((network) => [
      wait(ofNetwork(recent, network), limitOf(network)),
      wait(ofNetwork(unused, network), unusedLimitOf(network), DAY),
    ]),
  );
}

/** The 429 for a request whose mails are spent. */
export const mailBudgetSpent = (
  user: Pick<User, 'otp_mails' | 'otp_unused'>,
  request: MailRequest,
): AppError =>
  new AppError('rateLimited', { retryAfter: Math.max(1, mailRetryAfter(user, request)), limit: PER_ACCOUNT });
