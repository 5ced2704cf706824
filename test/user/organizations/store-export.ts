import { randomUUIDv7 } from 'node:crypto';
import { Binary } from 'mongodb';
import type { Database } from '../../../services/user/database.ts';
import type { ExportJob } from '../../../services/user/organizations/exports/records.ts';
import type { Clock } from '../../fixtures/clock.ts';

/** Stores a CSV export of audit events that is ready, in chunks of the given content. @returns its id. */
export async function storeExport(
  { db, clock }: { db: Pick<Database, 'exports' | 'exportChunks'>; clock: Clock },
  place: Pick<ExportJob, 'organization_id' | 'department_id' | 'created_by'>,
  contents: readonly Buffer[] = [Buffer.from('event_id\r\n')],
): Promise<string> {
  const export_id = randomUUIDv7();
  const created_at = new Date(clock.now());
  const expires_at = new Date(clock.now() + 7 * 86_400_000);
  let size = 0;
  for (const [seq, content] of contents.entries()) {
    await db.exportChunks.insertOne({
      export_id,
      seq,
      file: 'audit',
      offset: size,
      size: content.length,
      content: new Binary(content),
      files: [],
      next: null,
      expires_at,
    });
    size += content.length;
  }
  await db.exports.insertOne({
    export_id,
    ...place,
    format: 'csv',
    data: ['audit'],
    sees: [],
    status: 'ready',
    rows_total: 0,
    rows_done: 0,
    files: [{ file: 'audit', size, rows: 0 }],
    error: null,
    created_at,
    finished_at: created_at,
    expires_at,
    slot: await db.exports.countDocuments({ organization_id: place.organization_id }),
    lease: null,
    claims: 0,
  });
  return export_id;
}

/** A pending JSON export of members. */
export function pendingExport(
  place: Pick<ExportJob, 'organization_id' | 'department_id' | 'created_by'>,
  now: number,
  fields: Partial<ExportJob> = {},
): ExportJob {
  return {
    export_id: randomUUIDv7(),
    ...place,
    format: 'json',
    data: ['members'],
    sees: ['view users', 'view billing'],
    status: 'pending',
    rows_total: null,
    rows_done: 0,
    files: [],
    error: null,
    created_at: new Date(now),
    finished_at: null,
    expires_at: new Date(now + 86_400_000),
    slot: 0,
    running_slot: 0,
    due_at: new Date(now),
    lease: null,
    claims: 0,
    ...fields,
  };
}
