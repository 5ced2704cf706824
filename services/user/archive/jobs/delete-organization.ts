import { removeConnection } from '@gatehouse/sso/remove-connection';
import { removeServiceAccountsOf } from '../../keys/service-accounts/remove.ts';
import type { Organization } from '../../organizations/records.ts';
import { deleteDepartment } from './delete-department.ts';
import { deleteExports } from './delete-exports.ts';
import { deleteWebhooks } from './delete-webhooks.ts';
import { type ArchiveJob, deleteInPages, record } from './job.ts';

/**
 * Deletes an organization for good: first its connections, which ends logins through them, then its
 * domains, departments and webhooks, its own document last. Accounts stay; of their sessions only those end that began
 * at a connection of the organization.
 */
export async function deleteOrganization(
  job: ArchiveJob,
  { organization_id, name }: Organization,
): Promise<void> {
  const { db, now } = job;
  await db.ssoConnections.updateMany(
    { organization_id },
    { $set: { enabled: false, deleted_at: new Date(now()) }, $unset: { scim_token: true } },
  );
  for (const connection_id of await db.ssoConnections.distinct('connection_id', { organization_id })) {
    await deleteInPages(job, db.ssoIdentities, { connection_id }, { connection_id: 1, user_id: 1 });
    await record(job, [{ action: 'connection.delete', target: { connection_id }, organization_id }]);
    await removeConnection(job, connection_id);
  }
  await deleteInPages(
    job,
    db.ssoDomains,
    { organization_id },
    { organization_id: 1, domain: 1 },
    ({ domain_id, domain }) => ({
      action: 'domain.remove',
      target: { domain_id },
      before: { domain },
      organization_id,
    }),
  );
  for (;;) {
    const department = await db.departments.findOne({ organization_id });
    if (!department) break;
    // No other department is left for its chatbots.
    const { move_to: _, ...whole } = department;
    await deleteDepartment(job, whole);
  }
  await removeServiceAccountsOf(db, organization_id);
  await deleteWebhooks(job, { organization_id });
  await deleteExports(job, { organization_id });
  await deleteInPages(job, db.organizationPeople, { organization_id }, { organization_id: 1, user_id: 1 });
  await db.departures.deleteMany({ organization_id });
  await record(job, [{ action: 'organization.delete', target: {}, before: { name }, organization_id }]);
  await db.organizations.deleteOne({ organization_id });
}
