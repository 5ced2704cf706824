import type { Filter } from 'mongodb';
import type { ExportJob } from '../../organizations/exports/records.ts';
import { type ArchiveJob, deleteInPages } from './job.ts';

/**
 * Deletes exports, such as those of an organization, each after its chunks. Idempotent. The TTL index deletes the
 * chunk of a worker that was killed while it wrote.
 */
export async function deleteExports(job: ArchiveJob, which: Filter<ExportJob>): Promise<void> {
  const { db } = job;
  for (const export_id of await db.exports.distinct('export_id', which)) {
    // First: a worker that is writing a chunk then finds its lease lost and the export failed, and deletes the chunk.
    const stop = {
      $set: { status: 'failed', lease: null },
      $unset: { due_at: true, running_slot: true },
    } as const;
    await db.exports.updateOne({ export_id }, stop);
    await deleteInPages(job, db.exportChunks, { export_id }, { export_id: 1, seq: 1 });
    await db.exports.deleteOne({ export_id });
  }
}
