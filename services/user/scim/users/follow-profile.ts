import type { Account } from '@gatehouse/sso/host';
import { updateAccount } from '../../provisioning/account.ts';
import { isOwnAddress } from '../../provisioning/address.ts';
import { assignDepartment } from '../../provisioning/department.ts';
import type { ScimCall } from '../call.ts';
import { readUser, writableUser } from './input.ts';
import type { ScimIdentity } from './present.ts';
import { roleOfUser } from './role.ts';

/** Retry limit. The loop then ends silently, unlike `optimistic`: each concurrent change writes the profile itself. */
const MAX_TRIES = 20;

/**
 * Applies the name and the role of a user to the account and its memberships. The last of several concurrent changes
 * wins: each call checks afterwards that it wrote the latest version.
 */
export async function followProfile(call: ScimCall, identity_id: string): Promise<void> {
  const { db } = call.options;
  let written: number | undefined;
  for (let turn = 0; turn < MAX_TRIES; turn += 1) {
    const identity = await db.ssoIdentities.findOne({ identity_id });
    if (!identity?.scim || identity.scim.version === written) return;
    await writeProfile(call, identity as ScimIdentity);
    written = identity.scim.version;
  }
}

async function writeProfile(call: ScimCall, { user_id, scim }: ScimIdentity): Promise<void> {
  const { options, request, connection } = call;
  const { db } = options;
  const user = await db.users.findOne({ user_id });
  if (!user) return;
  const account: Account = { ...user, user_id };
  const { name } = readUser(writableUser(scim));
  const role = roleOfUser(scim, connection);
  if (await isOwnAddress(db, connection, user.email))
    await updateAccount(call, account, { firstName: name, lastName: undefined, role });
  // The memberships that the connection granted are the organization's, whatever address the person has now.
  if (role !== undefined)
    await assignDepartment(options, request, connection, account, {
      department: undefined,
      role,
      isManaged: true,
    });
}
