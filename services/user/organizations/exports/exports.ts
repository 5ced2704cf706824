import { addOperations } from '@gatehouse/shared/http/add-operations';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../database.ts';
import { createExport } from './create.ts';
import { deleteExport } from './delete.ts';
import { downloadExport } from './download.ts';
import { getExport } from './get.ts';
import { listExports } from './list.ts';
import { createExportWorker, type ExportTuning } from './worker.ts';

interface Options {
  db: Database;
  now: () => number;
  exportTuning: ExportTuning;
}

/** The exports of departments and organizations, and the worker that runs them while the service does. */
export async function dataExports(
  app: FastifyInstance,
  { db, now, exportTuning: tuning }: Options,
): Promise<void> {
  const worker = createExportWorker({ db, now, log: app.log, tuning });
  const options = { db, now, wake: worker.wake };
  const operations = [createExport, listExports, getExport, downloadExport, deleteExport];
  await addOperations(app, operations, options);
  app.addHook('onReady', async () => worker.start());
  // Runs before the server and the database close.
  app.addHook('preClose', () => worker.stop());
}
