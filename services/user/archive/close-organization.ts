import type { Filter, WithId } from 'mongodb';
import type { Database } from '../database.ts';
import type { Organization } from '../organizations/records.ts';
import { ARCHIVED, archive, NO_MARKS, NOT_ARCHIVED, renewBilling } from './marks.ts';

/** Archives an organization. @returns null if it is archived already, or not the one that `own` matches. */
export const closeOrganization = (
  db: Database,
  own: Filter<Organization>,
  by: string,
  now: number,
): Promise<WithId<Organization> | null> =>
  db.organizations.findOneAndUpdate(
    { ...own, ...NOT_ARCHIVED },
    { $set: archive(by, now) },
    { returnDocument: 'after' },
  );

/** Restores an organization, whose departments are unpaid then. @returns it as it was; null as `closeOrganization`. */
export async function reopenOrganization(
  db: Database,
  own: Filter<Organization> & { organization_id: string },
  by: string,
  now: number,
): Promise<WithId<Organization> | null> {
  const { organization_id } = own;
  const archived = { ...own, ...ARCHIVED, deleting: { $exists: false } };
  // Before the organization opens: no plan may count as paid in between.
  if (await db.organizations.findOne(archived, { projection: { _id: 1 } }))
    await db.departments.updateMany({ organization_id }, [renewBilling(by, now)]);
  return db.organizations.findOneAndUpdate(archived, { $unset: NO_MARKS }, { returnDocument: 'before' });
}
