import type { Config } from '@gatehouse/shared/config';
import { derivedId } from '@gatehouse/shared/derived-id';
import { type AuditEvent, auditJob } from '@gatehouse/shared/identity/audit';
import type { FastifyBaseLogger } from 'fastify';
import type { Collection, Document, Filter, IndexSpecification, ObjectId, WithId } from 'mongodb';
import type { Database } from '../../database.ts';

/** Documents written in one command; other commands run in between. */
const PAGE = 100;

/** The run that holds the lease of an archived place, and moves or deletes what it contains. */
export interface ArchiveJob {
  config: Config<'user'>;
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
  /** Names the place and its archiving: a repeated page records the same events. */
  id: string;
  /** When the place was archived, in Unix milliseconds. */
  began: number;
  /** Extends the lease before each page. @throws {LeaseLost} when the place was restored, another process has claimed it, or the service stops. */
  renew: () => Promise<void>;
}

type Recorded = Pick<AuditEvent, 'action' | 'target'> &
  Partial<Pick<AuditEvent, 'before' | 'after' | 'organization_id' | 'department_id'>>;

/** Records what a job is about to write. If it is killed in between, the repeated page stores no event twice. */
export const record = (
  { db, now, log, id, began }: ArchiveJob,
  actions: readonly Recorded[],
): Promise<void> =>
  auditJob(
    db,
    { id, log },
    now(),
    actions.map((details) => {
      const event_id = derivedId(began, `${id} ${details.action} ${JSON.stringify(details.target)}`);
      return { ...details, event_id };
    }),
  );

/**
 * Deletes the matching documents in pages, each after recording its events. Idempotent.
 * @param hint an index whose keys never change: a page must not miss a document that moves while it is read.
 * @param remove the write, if the collection has one of its own.
 */
export async function deleteInPages<Item extends Document>(
  job: ArchiveJob,
  collection: Collection<Item>,
  filter: Filter<Item>,
  hint: IndexSpecification,
  eventOf?: (item: WithId<Item>) => Recorded,
  remove: (ids: ObjectId[]) => Promise<unknown> = (ids) =>
    collection.deleteMany({ _id: { $in: ids } } as Filter<Item>),
): Promise<void> {
  for (;;) {
    await job.renew();
    const projection = eventOf ? { name_suffixes: 0, permissions: 0 } : { _id: 1 };
    const items = await collection.find(filter, { limit: PAGE, projection, hint }).toArray();
    if (items.length === 0) return;
    if (eventOf) await record(job, items.map(eventOf));
    await remove(items.map(({ _id }) => _id as ObjectId));
  }
}
