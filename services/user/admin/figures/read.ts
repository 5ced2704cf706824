import type { Database } from '../../database.ts';
import { type HourFigures, type HourTallies, TALLIES, type Tally } from './records.ts';

export const UNITS = { hour: 3_600_000, day: 86_400_000 } as const;
export type Unit = keyof typeof UNITS;

/** The figures of an hour or a UTC day. */
export interface Figures extends Record<Tally, number> {
  at: string;
  signups: number;
  verifications: number;
  logins: number;
  refused_logins: number;
  /** How many logins were refused for each reason. */
  refused_for: Record<string, number>;
  account_deletions: number;
}

/** Reads the figures of a period, with zeros where nothing happened. @returns also until when events are counted. */
export async function readFigures(
  db: Database,
  unit: Unit,
  { from, to }: { from: number; to: number },
): Promise<{ data: Figures[]; counted_until: string | null }> {
  const period = { _id: { $gte: new Date(from), $lt: new Date(to) } };
  const [hours, tallies, latest] = await Promise.all([
    db.hourFigures.find(period).toArray(),
    db.hourTallies.find(period).toArray(),
    db.hourFigures.findOne({}, { sort: { _id: -1 }, projection: { until: 1 } }),
  ]);
  const size = UNITS[unit];
  const slots = new Map<number, Figures>();
  for (let at = from; at < to; at += size) slots.set(at, emptyFigures(at));
  const slotOf = ({ _id }: { _id: Date }) => slots.get(_id.getTime() - (_id.getTime() % size));
  for (const hour of hours) addCounts(slotOf(hour), hour);
  for (const hour of tallies) addTallies(slotOf(hour), hour);
  return { data: [...slots.values()], counted_until: latest?.until.toISOString() ?? null };
}

const emptyFigures = (at: number): Figures => ({
  at: new Date(at).toISOString(),
  signups: 0,
  verifications: 0,
  logins: 0,
  refused_logins: 0,
  // Without a prototype: an outcome may have the name of a property.
  refused_for: Object.create(null),
  codes_mailed: 0,
  notices_mailed: 0,
  mails_failed: 0,
  webhook_deliveries: 0,
  webhook_failures: 0,
  account_deletions: 0,
});

/** The figure that counts the successes of an action. */
const SUCCESSES: Readonly<Record<string, 'signups' | 'verifications' | 'logins' | 'account_deletions'>> = {
  signup: 'signups',
  verify: 'verifications',
  login: 'logins',
  'sso.login': 'logins',
  'account.delete': 'account_deletions',
};

function addCounts(figures: Figures | undefined, { counts }: HourFigures): void {
  if (!figures) return;
  for (const { action, outcome, count } of counts) {
    const figure = SUCCESSES[action];
    if (figure && outcome === 'success') figures[figure] += count;
    else if (figure === 'logins') {
      figures.refused_logins += count;
      figures.refused_for[outcome] = (figures.refused_for[outcome] ?? 0) + count;
    }
  }
}

function addTallies(figures: Figures | undefined, tallies: HourTallies): void {
  if (!figures) return;
  for (const tally of TALLIES) figures[tally] += tallies[tally] ?? 0;
}
