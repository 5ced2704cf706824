import type { KeyObject } from 'node:crypto';
import { dayName } from '@gatehouse/shared/identity/audit-chain/records';
import type { Database } from '../../database.ts';
import type { Range } from '../positions.ts';
import { checkAnchors } from './check-anchors.ts';
import { checkChain } from './check-chain.ts';
import { findInserted } from './find-inserted.ts';
import { type AuditReport, addProblem, emptyReport } from './report.ts';

interface Options {
  db: Pick<Database, 'auditChain' | 'auditAnchors' | 'auditEvents' | 'auditLeases' | 'users'>;
  /** Public keys by their ids. */
  keys: ReadonlyMap<string, KeyObject>;
  range?: Range;
  /** A link that was written down elsewhere. */
  expected?: { position: number; link: string };
  now: number;
  onProgress?: (report: Readonly<AuditReport>) => void;
}

/**
 * Compares every audit event with the chain, the chain with itself, and its days with their signed anchors. It changes
 * nothing, may run beside the services, and needs the same memory for any number of events.
 */
export async function verifyAudit({
  db,
  keys,
  range = {},
  expected,
  now,
  onProgress = () => {},
}: Options): Promise<AuditReport> {
  const report = emptyReport();
  const days = {
    ...(range.from && { $gte: dayName(range.from) }),
    ...(range.to && { $lte: dayName(range.to) }),
  };
  const anchors = await db.auditAnchors
    .find(Object.keys(days).length > 0 ? { _id: days } : {})
    .sort({ _id: 1 })
    .toArray();
  const progress = () => onProgress(report);
  const options = { db, now, range, report, onProgress: progress };
  const isWhole = range.from === undefined;
  await checkChain({ ...options, anchors: checkAnchors({ anchors, keys, isWhole, report }) });
  await findInserted(options);
  if (expected) {
    const { position, link } = expected;
    const found = await db.auditChain.findOne({ _id: position });
    if (found?.link !== link)
      addProblem(report, {
        kind: found ? 'chain' : 'removed',
        text: found
          ? `Link ${position} is not the expected one: the chain was linked anew.`
          : `Link ${position} was expected and does not exist: the end of the chain was removed.`,
        position,
      });
  }
  return report;
}
