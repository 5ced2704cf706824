import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { linkOf } from '@gatehouse/shared/identity/audit-chain/commitments';
import { type AuditLink, dayName } from '@gatehouse/shared/identity/audit-chain/records';
import type { Database } from '../../database.ts';
import { positionsIn, type Range } from '../positions.ts';
import type { Anchors } from './check-anchors.ts';
import { compareEvent } from './compare-event.ts';
import { lawfulChanges } from './lawful.ts';
import { type AuditReport, addProblem } from './report.ts';

/** Links that are read together with their events. */
const BATCH = 500;
/** As the TTL index of the events. */
const EVENT_DAYS = 400;
const DAY = 86_400_000;

interface Options {
  db: Pick<Database, 'auditChain' | 'auditEvents' | 'users'>;
  now: number;
  range: Range;
  anchors: Anchors;
  report: AuditReport;
  onProgress: () => void;
}

/** Goes along the chain, in steady memory, and compares each event with its link. */
export async function checkChain(options: Options): Promise<void> {
  const { db, range, anchors, report } = options;
  const filter = await positionsIn(db, range);
  let last: Pick<AuditLink, '_id' | 'link'> | null = null;
  let batch: AuditLink[] = [];
  const lawful = lawfulChanges(db);
  const check = async () => {
    await checkEvents(options, batch, lawful);
    batch = [];
    options.onProgress();
  };
  for await (const entry of db.auditChain.find(filter).sort({ _id: 1 }).batchSize(BATCH)) {
    last ??= await before(db, entry, options);
    checkLink(report, last, entry);
    anchors.see(entry);
    report.links += 1;
    last = entry;
    batch.push(entry);
    if (batch.length === BATCH) await check();
  }
  await check();
  anchors.end();
  report.head = last && `${last._id}:${last.link}`;
}

/** The link before the first one that is read. */
async function before(
  { auditChain }: Options['db'],
  { _id, day }: AuditLink,
  { anchors, report, range, now }: Options,
): Promise<Pick<AuditLink, '_id' | 'link'>> {
  if (_id === 1) return { _id: 0, link: '' };
  const previous = await auditChain.findOne({ _id: _id - 1 });
  if (previous) return previous;
  const link = anchors.linkBefore(_id) ?? null;
  if (!anchors.isAged(_id - 1, now) && !range.from)
    addProblem(report, {
      kind: 'removed',
      text: `The chain begins at position ${_id} (${dayName(day)}): the ${_id - 1} links before it were removed before their time.`,
      position: _id,
      day: dayName(day),
    });
  // Without anything to compare it with, the first link is taken as it is.
  return { _id: _id - 1, link: link ?? UNKNOWN };
}

const UNKNOWN = 'unknown';

function checkLink(report: AuditReport, last: Pick<AuditLink, '_id' | 'link'>, entry: AuditLink): void {
  const { _id: position } = entry;
  const at = { position, day: dayName(entry.day), event_id: entry.event_id };
  if (position !== last._id + 1) {
    const missing = position - last._id - 1;
    const which = missing === 1 ? `Link ${position - 1}` : `Links ${last._id + 1} to ${position - 1}`;
    addProblem(report, {
      kind: 'removed',
      text: `${which} ${missing === 1 ? 'was' : 'were'} removed from the chain, before ${describe(entry)}.`,
      ...at,
    });
  } else if (last.link !== UNKNOWN && linkOf(last.link, entry) !== entry.link)
    addProblem(report, {
      kind: 'chain',
      text: `Link ${position} does not follow the one before it: it was changed or put there later. It stands for ${describe(entry)}.`,
      ...at,
    });
}

async function checkEvents(
  { db, now, report }: Options,
  entries: readonly AuditLink[],
  lawful: ReturnType<typeof lawfulChanges>,
): Promise<void> {
  if (entries.length === 0) return;
  const ids = entries.map(({ event }) => event as never);
  const found = await db.auditEvents.find({ _id: { $in: ids } }).toArray();
  const events = new Map<string, AuditEvent>(found.map((event) => [String(event._id), event]));
  const deleted = await lawful.deletedAmong(found);
  for (const entry of entries) {
    const { _id: position, event_id, day } = entry;
    const place = { position, event_id, day: dayName(day) };
    const event = events.get(String(entry.event));
    if (!event) {
      if (entry.at.getTime() <= now - EVENT_DAYS * DAY) report.aged += 1;
      else
        addProblem(report, {
          kind: 'removed',
          text: `${capital(describe(entry))} was removed.`,
          ...place,
        });
      continue;
    }
    const { changes, isErased } = await compareEvent(entry, event, lawful, deleted);
    if (isErased) report.erased += 1;
    if (changes.length === 0) report.events += 1;
    for (const change of changes)
      addProblem(report, {
        kind: 'changed',
        text: `${capital(describe(entry))} was changed: ${change}.`,
        ...place,
      });
  }
}

/** Names an event in words. */
export const describe = ({ action, at, event_id }: Pick<AuditEvent, 'action' | 'at' | 'event_id'>): string =>
  `the event "${action}" of ${at instanceof Date ? at.toISOString() : at} (${event_id})`;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
