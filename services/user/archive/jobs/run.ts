import { createLease, type Lease, LeaseLost } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import type { Collection, ObjectId, WithId } from 'mongodb';
import { completeDepartures } from '../../access/departures/depart.ts';
import type { Database } from '../../database.ts';
import type { Closing, Department, Organization } from '../../organizations/records.ts';
import { deleteDepartment } from './delete-department.ts';
import { deleteOrganization } from './delete-organization.ts';
import type { ClosingJob } from './job.ts';
import { moveChatbots } from './move-chatbots.ts';

interface ClosingOptions {
  config: ClosingJob['config'];
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
  leaseDuration: number;
  isStopping: () => boolean;
}

/** Milliseconds. Tests inject others. */
export const CLOSING = {
  /** Between two looks for places that are due. */
  poll: 30_000,
  /** Until another process continues the job of one that was killed. */
  leaseDuration: 60_000,
};

export type ClosingTuning = Partial<typeof CLOSING>;

export function createClosing({
  closing,
  ...options
}: Omit<ClosingOptions, 'leaseDuration' | 'isStopping'> & { closing?: ClosingTuning | undefined }): Poller {
  const { poll, leaseDuration } = { ...CLOSING, ...closing };
  return createPoller({
    interval: poll,
    run: (isStopping) => runClosing({ ...options, leaseDuration, isStopping }),
    log: options.log,
    failure: 'cannot run the jobs of archived places',
  });
}

/**
 * Moves the chatbots of archived departments, deletes places whose time is over, and completes
 * departures that were interrupted. A run that fails or is killed keeps its lease until it expires; then any process
 * continues.
 */
export async function runClosing(options: ClosingOptions): Promise<void> {
  const { db, isStopping } = options;
  while (
    !isStopping() &&
    ((await closeNext(options, db.departments, closeDepartment)) ||
      (await closeNext(options, db.organizations, closeOrganization)))
  );
  await completeDepartures(options);
}

/** Claims a place and does its job. @returns whether a place was due. */
async function closeNext<Place extends Closing & { organization_id: string; department_id?: string }>(
  { config, db, now, log, leaseDuration, isStopping }: ClosingOptions,
  places: Collection<Place>,
  close: (job: ClosingJob, place: WithId<Place>) => Promise<Date | null>,
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
  const job: ClosingJob = {
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
async function claim<Place extends Closing>(lease: Lease<Place>, now: number): Promise<WithId<Place> | null> {
  const at = new Date(now).toISOString();
  const over = await lease.claim({ deletes_at: { $lte: at } }, { $set: { deleting: true } });
  return over ?? lease.claim({ deletes_at: { $gt: at } });
}

/** @returns when the department is due again; null if it is deleted. */
async function closeDepartment(job: ClosingJob, department: Department): Promise<Date | null> {
  if (department.deleting) {
    await deleteDepartment(job, department);
    return null;
  }
  await moveChatbots(job, department);
  return new Date(department.deletes_at ?? 0);
}

async function closeOrganization(job: ClosingJob, organization: Organization): Promise<null> {
  await deleteOrganization(job, organization);
  return null;
}
