import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { Filter, WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { PASSES } from '../mark-earlier-events.ts';
import type { Range } from '../positions.ts';
import { capital, describe } from './check-chain.ts';
import { type AuditReport, addProblem } from './report.ts';

const BATCH = 500;
const DAY = 86_400_000;
/** Milliseconds after which an event should have its link. */
const PATIENCE = 600_000;

interface Options {
  db: Pick<Database, 'auditChain' | 'auditEvents' | 'auditLeases'>;
  now: number;
  range: Range;
  report: AuditReport;
  onProgress: () => void;
}

/** Finds the events without a link: those that wait for one, and those that were not stored by us. */
export async function findInserted({ db, now, range, report, onProgress }: Options): Promise<void> {
  const work = await db.auditLeases.findOne({ _id: 'link' });
  const mayBeEarlier = (work?.passes ?? 0) < PASSES;
  let oldest = now;
  const check = async (batch: WithId<AuditEvent>[]) => {
    const linked = await db.auditChain.distinct('event', { event: { $in: batch.map(({ _id }) => _id) } });
    const known = new Set(linked.map(String));
    for (const event of batch.filter(({ _id }) => !known.has(String(_id)))) {
      const { event_id, at, unlinked } = event;
      if (unlinked || mayBeEarlier) {
        report.waiting += 1;
        if (unlinked) oldest = Math.min(oldest, at.getTime());
      } else
        addProblem(report, {
          kind: 'inserted',
          text: `${capital(describe(event))} has no link: it was inserted, or its link was removed.`,
          event_id,
        });
    }
    onProgress();
  };
  let batch: WithId<AuditEvent>[] = [];
  const at: Filter<AuditEvent>['at'] = {
    ...(range.from && { $gte: range.from }),
    ...(range.to && { $lt: new Date(range.to.getTime() + DAY) }),
  };
  const events = db.auditEvents.find(Object.keys(at).length > 0 ? { at } : {}, {
    projection: { event_id: 1, action: 1, at: 1, unlinked: 1 },
    batchSize: BATCH,
  });
  for await (const event of events) {
    batch.push(event);
    if (batch.length < BATCH) continue;
    await check(batch);
    batch = [];
  }
  await check(batch);
  if (oldest < now - PATIENCE)
    report.notes.push(
      `Events wait for their links since ${new Date(oldest).toISOString()}: see that a user service runs.`,
    );
  if (mayBeEarlier && report.waiting > 0)
    report.notes.push(
      `Events of an earlier version are still being linked, until a day after the upgrade${work?.next_pass ? ` (${work.next_pass.toISOString()})` : ''}. Until then, an inserted event looks like one of them.`,
    );
}
