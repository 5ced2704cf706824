import type { Config } from '@gatehouse/shared/config';
import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import { networkBudgets, type SlidingBudget, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { isLoopback } from '@gatehouse/shared/http/address';
import { mailboxOf } from '@gatehouse/shared/identity/mailbox';
import type { Database } from '../database.ts';

type NetworkLimits = Pick<
  Config<'user'>,
  | 'NODE_ENV'
  | 'MAILS_PER_NETWORK_PER_HOUR'
  | 'MAILS_PER_MAILBOX_PER_HOUR'
  | 'ACTIVATIONS_PER_NETWORK_PER_HOUR'
>;

interface Call {
  config: NetworkLimits;
  db: Database;
  /** The client's address. */
  ip: string;
  /** Unix milliseconds. */
  now: number;
}

/** Refunds a call that did nothing. */
export type TakeBack = () => Promise<void>;

/** Outside production, tests and trials on this machine sign up as many accounts as they like. */
const isExempt = ({ config, ip }: Call): boolean => config.NODE_ENV !== 'production' && isLoopback(ip);

/** Counts a code that is mailed (CONTRACT.md §OTP). @throws {AppError} rateLimited */
export const spendCodeMail = (call: Call, email: string): Promise<TakeBack> =>
  spendAll(call.db, isExempt(call) ? [] : codeBudgets(call, email), call.now);

interface LoginCodeMail {
  email: string;
  /** Names the request for the code. */
  attempt: string;
}

const loginCodesAt = (email: string): string => `login codes at ${mailboxOf(email)}`;

/** Counts a code to log in that is asked for, whether or not it is mailed. @throws {AppError} rateLimited */
export async function spendLoginCodeMail(call: Call, { email, attempt }: LoginCodeMail): Promise<TakeBack> {
  const budgets = [...codeBudgets(call, email), ...dailyBudgets(loginCodesAt(email), call.ip)];
  return spendAll(call.db, isExempt(call) ? [] : budgets, call.now, attempt);
}

/** Takes a code that was used back from the budgets of a day, which bound guessing. */
export async function giveBackLoginCode(
  { budgets }: Pick<Database, 'budgets'>,
  { email, attempt }: LoginCodeMail,
): Promise<void> {
  const name = loginCodesAt(email);
  // Those of the networks begin with the name and a space, which the exclamation mark follows.
  const ofDay = { key: { $gte: name, $lt: `${name}!` } };
  await budgets.updateMany(ofDay, { $pull: { uses: { id: attempt } } });
}

function codeBudgets({ config, ip }: Call, email: string): SlidingBudget[] {
  const ofNetworks = networkBudgets('codes from', ip, config.MAILS_PER_NETWORK_PER_HOUR);
  return [...ofNetworks, ...mailboxBudgets(mailboxOf(email), ip, config.MAILS_PER_MAILBOX_PER_HOUR)];
}

/** Requests of one account for another address. */
const ADDRESSES_PER_HOUR = 10;
const ADDRESSES_PER_DAY = 20;
/** Codes of a kind to one mailbox in a day, for whatever accounts: each may be guessed a few times. */
const CODES_PER_DAY = 20;
const DAY = 24 * HOUR;

/** Counts a code that is mailed to an address which an account is to get (CONTRACT.md §E-mail). @throws {AppError} rateLimited */
export async function spendAddressMail(call: Call, account: string, email: string): Promise<TakeBack> {
  const takeBack = await spendCodeMail(call, email);
  const own = `addresses of ${account}`;
  const budgets = [
    { key: own, limit: ADDRESSES_PER_HOUR, seconds: HOUR },
    { key: `${own} in a day`, limit: ADDRESSES_PER_DAY, seconds: DAY },
    ...dailyBudgets(`addresses at ${mailboxOf(email)}`, call.ip),
  ];
  const takeBackOwn = await spendAll(call.db, budgets, call.now).catch(async (error) => {
    await takeBack();
    throw error;
  });
  return async () => {
    await Promise.all([takeBack(), takeBackOwn()]);
  };
}

/** The codes of a day, of which one network spends half, the widest four fifths. */
function dailyBudgets(name: string, ip: string): SlidingBudget[] {
  const ofNetworks = networkBudgets(`${name} from`, ip, CODES_PER_DAY / 2);
  const most = CODES_PER_DAY - CODES_PER_DAY / 5;
  return [
    ...ofNetworks.map(({ key, limit }) => ({ key, limit: Math.min(limit, most), seconds: DAY })),
    { key: name, limit: CODES_PER_DAY, seconds: DAY },
  ];
}

/** One network spends half of a mailbox's budget, the widest four fifths, so that a stranger leaves some to the owner. */
function mailboxBudgets(mailbox: string, ip: string, limit: number): SlidingBudget[] {
  const half = networkBudgets(`codes to ${mailbox} from`, ip, Math.ceil(limit / 2));
  const most = limit - Math.floor(limit / 5);
  const ofNetworks = half.map((budget) => ({ ...budget, limit: Math.min(budget.limit, most) }));
  return [...ofNetworks, { key: `codes to ${mailbox}`, limit, seconds: HOUR }];
}

/** Counts the activation of an account (CONTRACT.md §Verify OTP). @throws {AppError} rateLimited */
export async function spendActivation(call: Call): Promise<TakeBack> {
  const { config, db, ip, now } = call;
  const budgets = networkBudgets('activations from', ip, config.ACTIVATIONS_PER_NETWORK_PER_HOUR);
  return spendAll(db, isExempt(call) ? [] : budgets, now);
}
