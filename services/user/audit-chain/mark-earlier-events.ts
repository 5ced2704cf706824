import { bounded } from '@gatehouse/shared/data/bounded';
import type { AuditLease } from '@gatehouse/shared/identity/audit-chain/records';
import { ObjectId } from 'mongodb';
import type { Database } from '../database.ts';

/** Events in one command; other commands run in between. */
const PAGE = 500;
/** The second look is for what processes of the earlier version still store while a new version is rolled out. */
export const PASSES = 2;
const BETWEEN = 86_400_000;
/** Text sorts before object ids, and the events of jobs have a text as `_id`. */
const FIRST_TEXT = '';
const FIRST_OBJECT_ID = new ObjectId('000000000000000000000000');

export const isPassDue = ({ passes = 0, next_pass }: AuditLease, now: number): boolean =>
  passes < PASSES && (next_pass?.getTime() ?? 0) <= now;

/**
 * Marks the events that a version without the chain has stored, so that they are linked. It goes through all events
 * twice, a day apart, a page at a time; after that, an event without a mark and without a link was never stored by us.
 */
export async function markEarlierEvents(
  db: Pick<Database, 'auditEvents' | 'auditChain'>,
  { passes = 0, walked = FIRST_TEXT }: AuditLease,
  { now, renew }: { now: number; renew: (update: object) => Promise<boolean> },
): Promise<void> {
  let at = walked;
  for (;;) {
    const page = await bounded(
      db.auditEvents
        .find({ _id: { $gt: at as ObjectId } }, { projection: { _id: 1 } })
        .sort({ _id: 1 })
        .limit(PAGE)
        .toArray(),
    );
    const ids = page.map(({ _id }) => _id);
    const linked = await bounded(db.auditChain.distinct('event', { event: { $in: ids } }));
    const known = new Set(linked.map(String));
    const unknown = ids.filter((id) => !known.has(String(id)));
    if (unknown.length > 0)
      await bounded(db.auditEvents.updateMany({ _id: { $in: unknown } }, { $set: { unlinked: true } }));
    if (page.length < PAGE && typeof at !== 'string') break;
    at = page.length < PAGE ? FIRST_OBJECT_ID : (ids.at(-1) as ObjectId);
    if (!(await renew({ $set: { walked: at } }))) return;
  }
  const next = new Date(now + BETWEEN);
  await renew({ $set: { passes: passes + 1, next_pass: next }, $unset: { walked: true } });
}
