import { createLease, type Lease, LeaseLost } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import type { Collection, ObjectId, WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import type { ArchiveFields, Department, Organization } from '../../organizations/records.ts';
import { deleteDepartment } from './delete-department.ts';
import { deleteOrganization } from './delete-organization.ts';
import type { ArchiveJob } from './job.ts';
import { moveChatbots } from './move-chatbots.ts';

interface ArchiveOptions {
  config: ArchiveJob['config'];
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
  leaseDuration: number;
  isStopping: () => boolean;
}

/** Milliseconds between two looks for places that are due. */
export const INTERVAL = 30_000;
/** Milliseconds until another process continues the job of one that was killed. */
const LEASE = 60_000;

export const createArchiveJobs = (options: Omit<ArchiveOptions, 'leaseDuration' | 'isStopping'>): Poller =>
  createPoller({
    interval: INTERVAL,
    run: (isStopping) => runArchiveJobs({ ...options, leaseDuration: LEASE, isStopping }),
    log: options.log,
    failure: 'cannot run the jobs of archived places',
  });

/**
 * Moves the chatbots of archived departments, and deletes places whose time is over. A run that fails or is killed
 * keeps its lease until it expires; then any process continues.
 */
export async function runArchiveJobs(options: ArchiveOptions): Promise<void> {
  const { db, isStopping } = options;
  while (
    !isStopping() &&
    ((await closeNext(options, db.departments, closeDepartment)) ||
      (await closeNext(options, db.organizations, closeOrganization)))
  );
}

/** Claims a place and does its job. @returns whether a place was due. */
async function closeNext<Place extends ArchiveFields & { organization_id: string; department_id?: string }>(
  { config, db, now, log, leaseDuration, isStopping }: ArchiveOptions,
  places: Collection<Place>,
  close: (job: ArchiveJob, place: WithId<Place>) => Promise<Date | null>,
): Promise<boolean> {
  const lease = createLease({
    collection: places,
    due: 'due_at',
    holder: 'lease',
    duration: leaseDuration,
    now,
  });
  const place = await claim(lease, now());
  if (!place) return false;
  const { _id, archived_at = '', organization_id, department_id = organization_id } = place;
  const job: ArchiveJob = {
    config,
    db,
    now,
    log,
    id: department_id,
    began: Date.parse(archived_at),
    async renew() {
      if (isStopping() || !(await lease.renew(_id as ObjectId))) throw new LeaseLost();
    },
  };
  try {
    const next = await close(job, place);
    if (next) await lease.release(_id as ObjectId, next);
  } catch (error) {
    if (!(error instanceof LeaseLost))
      log.warn(
        { err: error, organization_id, department_id },
        'cannot close an archived place; retrying later',
      );
    else if (isStopping()) await lease.release(_id as ObjectId, new Date(now()));
  }
  return true;
}

/**
 * Claims a place whose job is due. One whose time is over is marked in the same write: from then on it gives no role
 * and cannot be restored.
 */
async function claim<Place extends ArchiveFields>(
  lease: Lease<Place>,
  now: number,
): Promise<WithId<Place> | null> {
  const at = new Date(now).toISOString();
  const over = await lease.claim({ deletes_at: { $lte: at } }, { $set: { deleting: true } });
  return over ?? lease.claim({ deletes_at: { $gt: at } });
}

/** @returns when the department is due again; null if it is deleted. */
async function closeDepartment(job: ArchiveJob, department: Department): Promise<Date | null> {
  if (department.deleting) {
    await deleteDepartment(job, department);
    return null;
  }
  await moveChatbots(job, department);
  return new Date(department.deletes_at ?? 0);
}

async function closeOrganization(job: ArchiveJob, organization: Organization): Promise<null> {
  await deleteOrganization(job, organization);
  return null;
}
