import { connect } from '@gatehouse/shared/data/connect';
import { COLLECTIONS } from '../../../../services/user/database.ts';
import { createExportWorker } from '../../../../services/user/organizations/exports/worker.ts';

/** Runs the exports of the database at MONGODB_URI, one row in a chunk, until it is killed. */
const db = await connect(String(process.env.MONGODB_URI), COLLECTIONS, { appName: 'export-worker' });
const log = { warn: console.warn, error: console.error };
const tuning = { rows: 1, slice: 50, poll: 20, leaseDuration: 500 };
createExportWorker({ db, now: Date.now, log, tuning }).start();
process.send?.('ready');
process.once('disconnect', () => process.exit());
