import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { Database } from '../../database.ts';
import type { Mailer } from '../../mail/mailer.ts';
import type { Tally } from './records.ts';

const HOUR = 3_600_000;

/**
 * Counts in memory what no audit event tells, until a job adds it to the hour. They are figures for people: a kill
 * loses those of the last ten seconds.
 */
export function createTallies() {
  let counts: Partial<Record<Tally, number>> = {};
  const count = (tally: Tally): void => {
    counts[tally] = (counts[tally] ?? 0) + 1;
  };
  return {
    count,
    /** Adds the counts to the hour. Those of a write that fails are kept. */
    async flush(db: Database, now: number): Promise<void> {
      const adding = counts;
      counts = {};
      if (Object.keys(adding).length === 0) return;
      const hour = new Date(now - (now % HOUR));
      const add = () =>
        db.hourTallies.updateOne({ _id: hour }, { $inc: adding, $setOnInsert: { hour } }, { upsert: true });
      try {
        await add().catch((error: unknown) => {
          // Two processes began the hour at once.
          if (!isDuplicateKey(error)) throw error;
          return add();
        });
      } catch (error) {
        for (const [tally, lost] of Object.entries(adding) as [Tally, number][])
          counts[tally] = (counts[tally] ?? 0) + lost;
        throw error;
      }
    },
  };
}

export type Tallies = ReturnType<typeof createTallies>;

const CODES: ReadonlySet<string> = new Set(['sendOtp', 'sendAddressCode', 'sendLoginCode']);

/** The mailer, with each mail counted that the mail server accepts or does not. */
export function talliedMailer(mailer: Mailer, { count }: Pick<Tallies, 'count'>): Mailer {
  const tallied = Object.entries(mailer).map(([name, send]) => {
    if (!name.startsWith('send')) return [name, send];
    const counted = async (...mail: unknown[]) => {
      try {
        await (send as (...mail: unknown[]) => Promise<unknown>)(...mail);
      } catch (error) {
        count('mails_failed');
        throw error;
      }
      count(CODES.has(name) ? 'codes_mailed' : 'notices_mailed');
    };
    return [name, counted];
  });
  return Object.fromEntries(tallied);
}
