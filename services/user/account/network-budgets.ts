import type { Config } from '@gatehouse/shared/config';
import { isLoopback } from '@gatehouse/shared/http/address';
import { mailboxOf } from '@gatehouse/shared/identity/mailbox';
import type { Database } from '../database.ts';
import { HOUR } from '../hourly-budget.ts';
import { networkBudgets, spendAll } from '../sliding-budget.ts';

export type NetworkLimits = Pick<
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

/** Takes back what was counted for a call that did nothing. */
export type TakeBack = () => Promise<void>;

/** Outside production, tests and trials on this machine sign up as many accounts as they like. */
const isExempt = ({ config, ip }: Call): boolean => config.NODE_ENV !== 'production' && isLoopback(ip);

/** Counts a code that is mailed (CONTRACT.md §OTP). @throws {AppError} rateLimited */
export async function spendCodeMail(call: Call, email: string): Promise<TakeBack> {
  const { config, db, ip, now } = call;
  const mailbox = {
    key: `codes to ${mailboxOf(email)}`,
    limit: config.MAILS_PER_MAILBOX_PER_HOUR,
    seconds: HOUR,
  };
  const ofNetworks = networkBudgets('codes from', ip, config.MAILS_PER_NETWORK_PER_HOUR);
  return spendAll(db, isExempt(call) ? [] : [...ofNetworks, mailbox], now);
}

/** Counts the activation of an account (CONTRACT.md §Verify OTP). @throws {AppError} rateLimited */
export async function spendActivation(call: Call): Promise<TakeBack> {
  const { config, db, ip, now } = call;
  const budgets = networkBudgets('activations from', ip, config.ACTIVATIONS_PER_NETWORK_PER_HOUR);
  return spendAll(db, isExempt(call) ? [] : budgets, now);
}
