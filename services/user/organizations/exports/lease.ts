import type { Database } from '../../database.ts';
import { bounded } from '../../database-timeout.ts';
import type { ExportJob } from './records.ts';
import type { Written } from './write-chunk.ts';

/** One worker at a time runs an export. `due_at` works as for webhook queues: see webhooks/delivery/lease.ts. */
export interface LeaseHolder {
  db: Database;
  /** Names the worker in the leases that it holds. */
  id: string;
  /** Milliseconds until another worker may claim a job that is not renewed. */
  leaseDuration: number;
  now: () => number;
}

const FINISHED = { due_at: true, running_slot: true } as const;

const leaseEnd = ({ now, leaseDuration }: LeaseHolder) => ({ due_at: new Date(now() + leaseDuration) });

/** Claims the job that has been due for longest; null when none is due. */
export const claim = (holder: LeaseHolder): Promise<ExportJob | null> =>
  bounded(
    holder.db.exports.findOneAndUpdate(
      { due_at: { $lte: new Date(holder.now()) }, expires_at: { $gt: new Date(holder.now()) } },
      { $set: { ...leaseEnd(holder), lease: holder.id, status: 'running' }, $inc: { claims: 1 } },
      { sort: { due_at: 1 }, returnDocument: 'after' },
    ),
  );

/** Records the rows that there are when the job starts. */
export const storeTotal = ({ db }: LeaseHolder, { export_id }: ExportJob, rows_total: number) =>
  bounded(db.exports.updateOne({ export_id, rows_total: null }, { $set: { rows_total } }));

/** Renews the lease after a chunk. @returns false when the job is canceled or the lease is lost. */
export async function renew(
  holder: LeaseHolder,
  { export_id }: ExportJob,
  written: Written,
): Promise<boolean> {
  const { matchedCount } = await bounded(
    holder.db.exports.updateOne(
      { export_id, lease: holder.id },
      { $set: { ...leaseEnd(holder), claims: 0 }, $max: { rows_done: rowsOf(written) } },
    ),
  );
  return matchedCount === 1;
}

/** Lets any worker claim the job at once. */
export const release = ({ db, id, now }: LeaseHolder, { export_id }: ExportJob) =>
  bounded(db.exports.updateOne({ export_id, lease: id }, { $set: { lease: null, due_at: new Date(now()) } }));

/** Makes the files of a complete export available. */
export const finish = ({ db, now }: LeaseHolder, { export_id }: ExportJob, written: Written) =>
  bounded(
    db.exports.updateOne(
      { export_id, status: 'running' },
      {
        $set: {
          status: 'ready',
          files: written.files,
          rows_done: rowsOf(written),
          finished_at: new Date(now()),
          lease: null,
        },
        $unset: FINISHED,
      },
    ),
  );

/** Gives a job up. @param error why, for its creator. */
export async function fail({ db, id, now }: LeaseHolder, { export_id }: ExportJob, error: string) {
  const failed = { status: 'failed' as const, error, finished_at: new Date(now()), lease: null };
  const { matchedCount } = await bounded(
    db.exports.updateOne({ export_id, status: 'running', lease: id }, { $set: failed, $unset: FINISHED }),
  );
  // Another worker may have made it ready.
  if (matchedCount === 1) await bounded(db.exportChunks.deleteMany({ export_id }));
}

const rowsOf = ({ files }: Written): number => files.reduce((sum, { rows }) => sum + rows, 0);
