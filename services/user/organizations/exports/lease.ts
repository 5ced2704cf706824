import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease, type Lease } from '@gatehouse/shared/durable/lease';
import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import type { ExportJob } from './records.ts';
import type { Written } from './write-chunk.ts';

/** One worker at a time runs an export. */
export interface ExportLease extends Lease<ExportJob> {
  db: Database;
  now: () => number;
}

type Claimed = WithId<ExportJob>;

const FINISHED = { due_at: true, running_slot: true } as const;

export const createExportLease = (db: Database, duration: number, now: () => number): ExportLease => ({
  ...createLease({ collection: db.exports, due: 'due_at', holder: 'lease', duration, now }),
  db,
  now,
});

/** Claims the job that has been due for longest; null when none is due. */
export const claim = ({ claim, now }: ExportLease): Promise<Claimed | null> =>
  bounded(
    claim({ expires_at: { $gt: new Date(now()) } }, { $set: { status: 'running' }, $inc: { claims: 1 } }),
  );

/** Records the rows that there are when the job starts. */
export const storeTotal = ({ db }: ExportLease, { export_id }: ExportJob, rows_total: number) =>
  bounded(db.exports.updateOne({ export_id, rows_total: null }, { $set: { rows_total } }));

/** Renews the lease after a chunk. @returns false when the job is canceled or the lease is lost. */
export const renew = ({ renew }: ExportLease, { _id }: Claimed, written: Written): Promise<boolean> =>
  bounded(renew(_id, { $set: { claims: 0 }, $max: { rows_done: rowsOf(written) } }));

/** Lets any worker claim the job at once. */
export const release = ({ release, now }: ExportLease, { _id }: Claimed): Promise<boolean> =>
  bounded(release(_id, new Date(now())));

/** Makes the files of a complete export available. */
export const finish = ({ db, now }: ExportLease, { export_id }: ExportJob, written: Written) =>
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
export async function fail({ db, held, now }: ExportLease, { _id, export_id }: Claimed, error: string) {
  const failed = { status: 'failed' as const, error, finished_at: new Date(now()), lease: null };
  const { matchedCount } = await bounded(
    db.exports.updateOne({ ...held(_id), status: 'running' }, { $set: failed, $unset: FINISHED }),
  );
  // Another worker may have made it ready.
  if (matchedCount === 1) await bounded(db.exportChunks.deleteMany({ export_id }));
}

const rowsOf = ({ files }: Written): number => files.reduce((sum, { rows }) => sum + rows, 0);
