import { TIME_LIMIT, tooSlow } from '@gatehouse/shared/data/time-limit';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { Document, Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import { actorShown } from '../present-event.ts';
import { CALENDAR, type CalendarUnit, countsByUnit } from './calendar.ts';
import { countBy, START_OF_DAY } from './count-by.ts';

/** The values by which events are grouped, other than time. */
const FIELDS = { member: 'user_id', chatbot: 'target.chatbot_id', action: 'action' } as const;
export const GROUPS = [...CALENDAR, 'member', 'chatbot', 'action'] as const;
export type Grouping = (typeof GROUPS)[number];

/** Groups in one report; the largest are shown. */
export const MAX_GROUPS = 500;
const timedOut = tooSlow('The report takes too long; choose a shorter period');

interface Counts {
  groups: { group: string; count: number }[];
  total: number;
}

/** Counts the events of a period in groups: by time in its order, by anything else the largest first. */
export async function countEvents(
  db: Database,
  place: Filter<AuditEvent>,
  group_by: Grouping,
  period: { from: number; to: number },
): Promise<Counts> {
  const at = { $gte: new Date(period.from), $lt: new Date(period.to) };
  const filter = { $and: [place, { at }] };
  if (isCalendar(group_by)) {
    const days = new Map<number, number>();
    for (const { _id, count } of await grouped<number>(db, filter, START_OF_DAY))
      days.set(Number(_id), count);
    const groups = countsByUnit(days, group_by, period);
    return { groups, total: groups.reduce((sum, { count }) => sum + count, 0) };
  }
  const field = FIELDS[group_by];
  const named = { $and: [filter, { [field]: { $gt: '' } }, ...(group_by === 'member' ? [actorShown] : [])] };
  const [rows, total] = await Promise.all([
    grouped<string>(db, named, `$${field}`, [{ $sort: { count: -1, _id: 1 } }, { $limit: MAX_GROUPS }]),
    db.auditEvents.countDocuments(named, TIME_LIMIT).catch(timedOut),
  ]);
  return { groups: rows.map(({ _id, count }) => ({ group: _id, count })), total };
}

const isCalendar = (group_by: Grouping): group_by is CalendarUnit =>
  (CALENDAR as readonly string[]).includes(group_by);

const grouped = <Id>(
  db: Database,
  filter: Filter<AuditEvent>,
  expression: unknown,
  stages: Document[] = [],
) => countBy<Id, AuditEvent>(db.auditEvents, filter, expression, stages, TIME_LIMIT).catch(timedOut);
