export const DAY = 86_400_000;
const WEEK = 7 * DAY;

export const CALENDAR = ['day', 'week', 'month'] as const;
export type CalendarUnit = (typeof CALENDAR)[number];

/** The name of the UTC day, the Monday of the week, or the month, that a time is in. */
export function unitOf(at: number, unit: CalendarUnit): string {
  // 1 January 1970 was a Thursday.
  const start = unit === 'week' ? at - ((at + 3 * DAY) % WEEK) : at;
  return new Date(start).toISOString().slice(0, unit === 'month' ? 7 : 10);
}

/**
 * Sums counts by UTC day to one for each unit of a period, 0 where there were none.
 * @param days counts by the start of their day, in Unix milliseconds.
 */
export function countsByUnit(
  days: ReadonlyMap<number, number>,
  unit: CalendarUnit,
  { from, to }: { from: number; to: number },
): { group: string; count: number }[] {
  const counts = new Map<string, number>();
  for (let day = from - (from % DAY); day < to; day += DAY) {
    const name = unitOf(day, unit);
    counts.set(name, (counts.get(name) ?? 0) + (days.get(day) ?? 0));
  }
  return [...counts].map(([group, count]) => ({ group, count }));
}
