import { bounded } from '@gatehouse/shared/data/bounded';
import { createPoller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { DATA_SETS } from './data-sets.ts';
import { claim, createExportLease, fail, finish, release, renew, storeTotal } from './lease.ts';
import type { ExportJob } from './records.ts';
import { lastWritten, type Written, writeChunk } from './write-chunk.ts';

export const TIMING = {
  /** Milliseconds between two looks for exports that are due. */
  poll: 2_000,
  /** Milliseconds until another worker takes over the exports of one that was killed. */
  leaseDuration: 30_000,
  /** Rows of one chunk. */
  rows: 500,
  /** Bytes after which a chunk takes no further row. */
  bytes: 1024 * 1024,
  /** Bytes of the largest export. */
  maxBytes: 512 * 1024 * 1024,
  /** Chunks after which another export gets its turn. */
  slice: 20,
};

export type ExportTuning = Partial<typeof TIMING>;

/** Claims without a chunk after which a job is given up. */
const MAX_CLAIMS = 10;
const FAILED = 'The export could not be completed';

interface Options {
  db: Database;
  now: () => number;
  log: Pick<FastifyBaseLogger, 'error' | 'warn'>;
  tuning?: ExportTuning | undefined;
}

/** Runs exports, one at a time. Any number of processes may run a worker. */
export function createExportWorker({ db, now, log, tuning = {} }: Options) {
  const limits = { ...TIMING, ...tuning };
  const holder = createExportLease(db, limits.leaseDuration, now);
  const poller = createPoller({ interval: limits.poll, run: runDue, log, failure: 'cannot claim exports' });

  async function runDue(isStopping = () => false): Promise<void> {
    while (!isStopping()) {
      const job = await claim(holder);
      if (!job) return;
      if (job.claims > MAX_CLAIMS) await fail(holder, job, FAILED);
      else
        await runSlice(job, isStopping).catch((error) =>
          log.warn({ err: error, export_id: job.export_id }, 'export interrupted'),
        );
    }
  }

  /** Writes the next chunks of a job. */
  async function runSlice(job: WithId<ExportJob>, isStopping: () => boolean): Promise<void> {
    if (job.rows_total === null) await storeTotal(holder, job, await countRows(db, job));
    let written = await lastWritten(db, job.export_id);
    for (let chunks = 0; written.next !== null; chunks += 1) {
      if (isStopping() || chunks === limits.slice) return void (await release(holder, job));
      // If another worker has written this chunk, continue from what is stored.
      const next: Written | null = await writeChunk(db, job, written, limits);
      written = next ?? (await lastWritten(db, job.export_id));
      if (sizeOf(written) > limits.maxBytes)
        return fail(holder, job, `The export is larger than ${limits.maxBytes / 1024 / 1024} MiB`);
      if (!(await renew(holder, job, written))) return removeIfCanceled(db, job);
    }
    await finish(holder, job, written);
  }

  return {
    runs: poller.runs,
    start() {
      poller.start();
      poller.wake();
    },
    wake: poller.wake,
    runNow: poller.runNow,
    /** Runs exports until none is due. */
    run: () => runDue(),
    /** Stops after the chunk that is being written. Another worker continues. */
    stop: poller.stop,
  };
}

async function countRows(db: Database, job: ExportJob): Promise<number> {
  const counts = await Promise.all(job.data.map((name) => bounded(DATA_SETS[name].count(db, job))));
  return counts.reduce((sum, count) => sum + count, 0);
}

const sizeOf = ({ files }: Written): number => files.reduce((sum, { size }) => sum + size, 0);

/** A chunk that was written while its export was canceled or given up is of no use. */
async function removeIfCanceled(db: Database, { export_id }: ExportJob): Promise<void> {
  const wanted = await bounded(db.exports.findOne({ export_id, status: { $in: ['running', 'ready'] } }));
  if (!wanted) await bounded(db.exportChunks.deleteMany({ export_id }));
}
