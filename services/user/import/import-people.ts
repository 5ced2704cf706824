import { auditJob, orderedUuid } from '@gatehouse/shared/identity/audit';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../database.ts';
import { type NewUser, newUser } from './new-user.ts';
import { checkPerson, PersonProblem } from './person.ts';
import type { Preset } from './presets/preset.ts';
import { PRESETS, type PresetName } from './presets/presets.ts';
import { readRows } from './read-rows.ts';
import { emptyReport, type ImportReport, refuseRow } from './report.ts';
import { writeBatch } from './write-batch.ts';

/** Accounts in one write, and writes at the same time. */
const BATCH = 1_000;
const PARALLEL = 4;

interface Import {
  db: Database;
  source: AsyncIterable<Buffer>;
  from: PresetName;
  /** The text that describes the hashes of the system, where the preset needs one. */
  hashConfig?: string | undefined;
  /** Takes every address for verified. */
  trustsAddresses?: boolean;
  /** Writes nothing. */
  isDryRun?: boolean;
  now: () => number;
  log: FastifyBaseLogger;
  onProgress?: (report: ImportReport) => void;
}

/**
 * Creates an account for each person in a file. A row is done when its address has an account, so an import that was
 * interrupted is continued by running it again.
 * @throws {Error} when the hash configuration is missing or incomplete.
 */
export async function importPeople({
  db,
  source,
  from,
  hashConfig,
  trustsAddresses = false,
  isDryRun = false,
  now,
  log,
  onProgress = () => {},
}: Import): Promise<ImportReport> {
  const preset: Preset = PRESETS[from];
  const personOf = preset.withHashes?.(hashConfig) ?? preset.read;
  const report = emptyReport();
  const write = batchWriter(async (users) => {
    await writeBatch({ db, isDryRun, report }, users);
    onProgress(report);
  });
  for await (const row of readRows(source, preset.list)) {
    report.read += 1;
    if ('problem' in row) {
      refuseRow(report, row.line, row.problem);
      continue;
    }
    const person = personOf(row.fields);
    if (!person) {
      report.left_out += 1;
      continue;
    }
    try {
      const verified = person.verified || trustsAddresses;
      await write.add(newUser(row.line, checkPerson({ ...person, verified }), from, new Date(now())));
    } catch (error) {
      if (!(error instanceof PersonProblem)) throw error;
      refuseRow(report, row.line, error.message);
    }
  }
  await write.end();
  if (!isDryRun && report.imported > 0) await auditImport({ db, now, log }, from, report);
  return report;
}

/** Collects accounts and writes them in batches, a few at the same time. */
function batchWriter(write: (users: NewUser[]) => Promise<void>) {
  const slots = Array.from({ length: PARALLEL }, () => Promise.resolve());
  let batch: NewUser[] = [];
  let next = 0;
  const flush = async () => {
    const users = batch;
    batch = [];
    await slots[next];
    const writing = write(users);
    // The error is thrown where the slot is awaited.
    writing.catch(() => {});
    slots[next] = writing;
    next = (next + 1) % PARALLEL;
  };
  return {
    async add(user: NewUser): Promise<void> {
      batch.push(user);
      if (batch.length === BATCH) await flush();
    },
    async end(): Promise<void> {
      if (batch.length > 0) await flush();
      await Promise.all(slots);
    },
  };
}

/** One event for the whole import. Each account says in `imported` where it came from. */
async function auditImport(
  { db, now, log }: Pick<Import, 'db' | 'now' | 'log'>,
  from: PresetName,
  { imported, existing, refused }: ImportReport,
): Promise<void> {
  const event_id = orderedUuid();
  const after = { from, imported: `${imported}`, existing: `${existing}`, refused: `${refused}` };
  await auditJob(db, { id: event_id, log }, now(), [{ event_id, action: 'account.import', after }]);
}
