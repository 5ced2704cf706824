import { randomUUID } from 'node:crypto';
import type { FastifyBaseLogger } from 'fastify';
import type { Collection, WithId } from 'mongodb';
import type { Database } from '../database.ts';
import { completeDepartures } from '../organizations/members/departures.ts';
import type { Closing, Department, Organization } from '../organizations/records.ts';
import { deleteDepartment } from './delete-department.ts';
import { deleteOrganization } from './delete-organization.ts';
import { type ClosingJob, LeaseLost } from './job.ts';
import { claim, type LeaseHolder, release, renew } from './lease.ts';
import { moveChatbots } from './move-chatbots.ts';

export interface ClosingOptions {
  config: ClosingJob['config'];
  db: Database;
  now: () => number;
  log: FastifyBaseLogger;
  leaseDuration: number;
  isStopping: () => boolean;
}

/**
 * Does what is due: moves the chatbots of archived departments, deletes places whose time is over, and completes
 * departures that were interrupted. A run that fails or is killed keeps its lease until it expires; then any process
 * continues.
 */
export async function runClosing(options: ClosingOptions): Promise<void> {
  const { db } = options;
  const holder = { ...options, id: randomUUID() };
  while (
    !options.isStopping() &&
    ((await closeNext(holder, db.departments, closeDepartment)) ||
      (await closeNext(holder, db.organizations, closeOrganization)))
  );
  await completeDepartures(options);
}

type Holder = ClosingOptions & LeaseHolder;

/** Claims a place and does its job. @returns whether a place was due. */
async function closeNext<Place extends Closing & { organization_id: string; department_id?: string }>(
  holder: Holder,
  places: Collection<Place>,
  close: (job: ClosingJob, place: WithId<Place>) => Promise<Date | null>,
): Promise<boolean> {
  const place = await claim(holder, places);
  if (!place) return false;
  const { archived_at = '', organization_id, department_id = organization_id } = place;
  const { config, db, now, log } = holder;
  const job: ClosingJob = {
    config,
    db,
    now,
    log,
    id: department_id,
    began: Date.parse(archived_at),
    renew: () => renew(holder, places, place),
  };
  try {
    const next = await close(job, place);
    if (next) await release(holder, places, place, next);
  } catch (error) {
    if (!(error instanceof LeaseLost))
      log.warn(
        { err: error, organization_id, department_id },
        'cannot close an archived place; retrying later',
      );
    else if (holder.isStopping()) await release(holder, places, place, new Date(now()));
  }
  return true;
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
