import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { type AuditLink, dayName } from '@gatehouse/shared/identity/audit-chain/records';
import { presentEvent } from '../audit-list.ts';
import { csvLine } from '../csv.ts';
import type { Database } from '../database.ts';
import { positionsIn, type Range } from './positions.ts';

type Db = Pick<Database, 'auditChain' | 'auditAnchors' | 'auditEvents'>;
export const EXPORT_FORMATS = ['jsonl', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Links that are read together with their events. */
const BATCH = 500;

const COLUMNS = [
  'position',
  'day',
  'event_id',
  'at',
  'action',
  'outcome',
  'user_id',
  'email',
  'target',
  'before',
  'after',
  'organization_id',
  'department_id',
  'address',
  'request_id',
  'link',
] as const;

/** The days of a range that have links, oldest first, and whether each is over. */
export async function* exportedDays(db: Db, range: Range): AsyncGenerator<{ day: Date; isOver: boolean }> {
  let { from } = range;
  for (;;) {
    const filter = await positionsIn(db, { ...range, ...(from && { from }) });
    const first = await db.auditChain.findOne(filter, { sort: { _id: 1 } });
    if (!first) return;
    const after = new Date(first.day.getTime() + 86_400_000);
    const later = await db.auditChain.findOne({ day: { $gte: after } }, { projection: { _id: 1 } });
    const anchor = await db.auditAnchors.findOne({ _id: dayName(first.day) });
    yield { day: first.day, isOver: later !== null && (anchor?.closed ?? true) };
    if (!later) return;
    from = after;
  }
}

/**
 * The links of a day with their events, a line each. JSON lines have everything that a proof needs, the last line the
 * signed anchor. An event that is gone is null, or has empty cells.
 */
export async function* exportDay(db: Db, day: Date, format: ExportFormat): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(COLUMNS);
  let batch: AuditLink[] = [];
  const filter = await positionsIn(db, { from: day, to: day });
  for await (const entry of db.auditChain.find(filter).sort({ _id: 1 }).batchSize(BATCH)) {
    batch.push(entry);
    if (batch.length < BATCH) continue;
    yield await linesOf(db, batch, format);
    batch = [];
  }
  if (batch.length > 0) yield await linesOf(db, batch, format);
  const anchor = await db.auditAnchors.findOne({ _id: dayName(day) });
  if (anchor && format === 'jsonl') {
    const { _id, ...signed } = anchor;
    yield `${JSON.stringify({ anchor: { day: _id, ...signed } })}\n`;
  }
}

async function linesOf(db: Db, entries: readonly AuditLink[], format: ExportFormat): Promise<string> {
  const ids = entries.map(({ event }) => event as never);
  const found = await db.auditEvents.find({ _id: { $in: ids } }).toArray();
  const events = new Map<string, AuditEvent>(found.map((event) => [String(event._id), event]));
  const lines = entries.map((entry) => {
    const event = events.get(String(entry.event)) ?? null;
    return format === 'csv' ? csvOf(entry, event) : jsonOf(entry, event);
  });
  return lines.join('');
}

function jsonOf({ _id, day, ...entry }: AuditLink, event: AuditEvent | null): string {
  const stored = event && withoutMarks(event);
  return `${JSON.stringify({ position: _id, day: dayName(day), ...entry, stored })}\n`;
}

const withoutMarks = ({ _id, relay, unlinked, ...event }: AuditEvent & { _id?: unknown }) => event;

function csvOf({ _id, day, event_id, at, action, link }: AuditLink, event: AuditEvent | null): string {
  const { actor, ...shown } = event ? presentEvent(event) : { actor: undefined };
  const cells: Record<string, unknown> = { ...shown, ...actor };
  const known: Record<string, unknown> = {
    position: _id,
    day: dayName(day),
    event_id,
    at: at.toISOString(),
    action,
    link,
  };
  return csvLine(COLUMNS.map((column) => known[column] ?? cells[column]));
}
