import type { Database } from '../../database.ts';

type Stored = Pick<Database, 'machineKeys' | 'serviceAccounts'>;

/** Deletes a service account whose deletion has begun, after its keys. May be repeated. */
export async function removeServiceAccount(db: Stored, service_account_id: string): Promise<void> {
  await db.machineKeys.deleteMany({ owner: service_account_id });
  await db.serviceAccounts.deleteOne({ service_account_id });
}

/** Deletes the service accounts of an organization that is being deleted. May be repeated. */
export async function removeServiceAccountsOf(db: Stored, organization_id: string): Promise<void> {
  await db.serviceAccounts.updateMany({ organization_id }, { $set: { deleting: true } });
  for (const id of await db.serviceAccounts.distinct('service_account_id', { organization_id }))
    await removeServiceAccount(db, id);
}

/** Completes the deletions that a kill has interrupted. Their keys open nothing in the meantime. */
export async function completeServiceAccountDeletions(db: Stored): Promise<void> {
  for (const id of await db.serviceAccounts.distinct('service_account_id', { deleting: true }))
    await removeServiceAccount(db, id);
}
