import type { Database } from '../../database.ts';
import { UNITS } from './read.ts';

/** Mails fail if so many of the last hours did, as a share of all. */
export const MAIL_HOURS = 2;
const TOO_MANY_FAILED = 0.1;

export interface MailCounts {
  failed: number;
  all: number;
  isFailing: boolean;
}

/** Counts the mails of the last hours. @param now Unix milliseconds. */
export async function recentMails(
  { hourTallies }: Pick<Database, 'hourTallies'>,
  now: number,
): Promise<MailCounts> {
  const hours = await hourTallies
    .find({ _id: { $gt: new Date(now - MAIL_HOURS * UNITS.hour), $lte: new Date(now) } })
    .toArray();
  const sum = (tally: 'codes_mailed' | 'notices_mailed' | 'mails_failed') =>
    hours.reduce((total, hour) => total + (hour[tally] ?? 0), 0);
  const failed = sum('mails_failed');
  const all = failed + sum('codes_mailed') + sum('notices_mailed');
  return { failed, all, isFailing: failed > 0 && failed >= all * TOO_MANY_FAILED };
}
