import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { refuseArchived } from '../../access/archived.ts';
import type { Database } from '../../database.ts';
import type { Organization } from '../records.ts';

/** @throws {AppError} forbidden if the place of an invitation is archived; notFound if it is being deleted. */
export async function refuseArchivedPlace(
  db: Database,
  { organization_id, department_id }: { organization_id: string; department_id?: string },
): Promise<void> {
  refuse('organization', await db.organizations.findOne({ organization_id }));
  if (department_id !== undefined) refuse('department', await db.departments.findOne({ department_id }));
}

function refuse(
  what: 'organization' | 'department',
  place: Pick<Organization, 'archived_at' | 'deleting'> | null,
): void {
  const { archived_at, deleting } = orNotFound(place);
  if (deleting) throw new AppError('notFound');
  refuseArchived(archived_at === undefined ? undefined : { what, at: archived_at });
}
