import { AppError } from '@gatehouse/shared/http/errors';
import { DAY } from './calendar.ts';

/** Audit events are kept as long. */
export const MAX_DAYS = 400;
const DEFAULT_DAYS = 30;

/**
 * The period of a report in Unix milliseconds, by default the last days until now.
 * @throws {AppError} invalidFormat if it is empty or too long.
 */
export function periodOf(given: { from?: string | undefined; to?: string | undefined }, now: number) {
  const to = given.to === undefined ? now : Date.parse(given.to);
  const from = given.from === undefined ? to - DEFAULT_DAYS * DAY : Date.parse(given.from);
  if (from >= to) throw new AppError('invalidFormat', { text: 'from must be before to' });
  if (to - from > MAX_DAYS * DAY)
    throw new AppError('invalidFormat', { text: `from and to must be at most ${MAX_DAYS} days apart` });
  return { from, to };
}
