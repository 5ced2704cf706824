import { changedMeanwhile } from '@gatehouse/scim/errors';
import { requireVersion } from '@gatehouse/scim/version';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { audit } from '@gatehouse/shared/identity/audit';
import { notifyOwners } from '../../provisioning/notify-owners.ts';
import type { ScimCall } from '../call.ts';
import { auditedUser } from './audited.ts';
import { findUser, usersOf } from './find.ts';
import type { ScimIdentity } from './present.ts';
import { refuseLastOwner, syncAccount } from './sync-account.ts';

/**
 * Deletes a user for SCIM: deactivates them and tells the Owners of the organization. The account, its memberships
 * and chatbots stay for the Owners to decide on. @throws {ScimError}
 */
export async function deleteUser(
  call: ScimCall,
  identity_id: string,
  ifMatch: string | undefined,
): Promise<void> {
  const { options, request, connection } = call;
  const { db, now } = options;
  const before = await remove(call, identity_id, ifMatch);
  const { user_id } = before;
  const synced = await syncAccount(options, connection, identity_id);
  await audit(db, request, now(), {
    action: 'scim.user',
    target: { user_id, connection_id: connection.connection_id },
    before: auditedUser(before),
    after: synced.account_status === undefined ? null : { ...synced },
    organization_id: connection.organization_id,
  });
  const user = await db.users.findOne({ user_id }, { projection: { account_status: 1 } });
  const account = user?.account_status === 'disabled' ? 'disabled' : 'foreign';
  notifyOwners(options, request, connection, before, account);
}

function remove(call: ScimCall, identity_id: string, ifMatch: string | undefined): Promise<ScimIdentity> {
  const { options, connection } = call;
  const { db, now } = options;
  return optimistic(
    async () => {
      const before = await findUser(call, identity_id);
      requireVersion(ifMatch, before.scim.version);
      await refuseLastOwner(options, connection, before);
      const at = new Date(now());
      const { matchedCount } = await db.ssoIdentities.updateOne(
        { ...usersOf(connection), identity_id, 'scim.version': before.scim.version },
        {
          $set: { 'scim.active': false, 'scim.unsettled': true, 'scim.deleted_at': at, updated_at: at },
          $inc: { 'scim.version': 1 },
          $unset: { 'scim.user_name_key': true },
        },
      );
      return matchedCount === 1 ? before : undefined;
    },
    { attempts: 50, refusal: changedMeanwhile },
  );
}
