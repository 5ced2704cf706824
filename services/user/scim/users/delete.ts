import { audit } from '@gatehouse/shared/identity/audit';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import { nameInMail } from '../../organizations/names.ts';
import { changedMeanwhile } from '../errors.ts';
import type { Call } from '../options.ts';
import { requireVersion } from '../version.ts';
import { auditedUser } from './audited.ts';
import { findUser, usersOf } from './find.ts';
import type { ScimIdentity } from './present.ts';
import { requireAnotherOwner, settleAccount } from './settle-account.ts';

const MAX_TRIES = 50;

/**
 * Deletes a user for SCIM: deactivates them and tells the Owners of the organization. The account, its memberships
 * and chatbots stay for the Owners to decide on. @throws {ScimError}
 */
export async function deleteUser(
  call: Call,
  identity_id: string,
  ifMatch: string | undefined,
): Promise<void> {
  const { options, request, connection } = call;
  const { db, now } = options;
  const before = await remove(call, identity_id, ifMatch);
  const { user_id } = before;
  const settled = await settleAccount(options, connection, identity_id);
  await audit(db, request, now(), {
    action: 'scim.user',
    target: { user_id, connection_id: connection.connection_id },
    before: auditedUser(before),
    after: settled.account_status === undefined ? null : { ...settled },
    organization_id: connection.organization_id,
  });
  // Best effort: neither the deletion nor its answer depends on the mail server. Each send has a time limit.
  void tellOwners(call, before).catch((error) => {
    request.log.error({ err: error, user_id }, 'Owners not told of a deleted person');
  });
}

async function remove(call: Call, identity_id: string, ifMatch: string | undefined): Promise<ScimIdentity> {
  const { options, connection } = call;
  const { db, now } = options;
  for (let turn = 0; turn < MAX_TRIES; turn += 1) {
    const before = await findUser(call, identity_id);
    requireVersion(ifMatch, before.scim.version);
    await requireAnotherOwner(options, connection, before);
    const at = new Date(now());
    const { matchedCount } = await db.ssoIdentities.updateOne(
      { ...usersOf(connection), identity_id, 'scim.version': before.scim.version },
      {
        $set: { 'scim.active': false, 'scim.unsettled': true, 'scim.deleted_at': at, updated_at: at },
        $inc: { 'scim.version': 1 },
        $unset: { 'scim.user_name_key': true },
      },
    );
    if (matchedCount === 1) return before;
  }
  throw changedMeanwhile();
}

async function tellOwners(
  { options, request, connection }: Call,
  { user_id, email }: ScimIdentity,
): Promise<void> {
  const { db, mailer } = options;
  const { organization_id } = connection;
  const organization = await db.organizations.findOne({ organization_id });
  if (!organization) return;
  const user = await db.users.findOne({ user_id }, { projection: { account_status: 1 } });
  const owners = await db.users
    .find({ user_id: { $in: organization.owners.map((owner) => owner.user_id) }, ...ACTIVE })
    .toArray();
  const mail = {
    organization: nameInMail(organization.name),
    email,
    disabled: user?.account_status === 'disabled',
  };
  await Promise.all(
    owners.map((owner) =>
      mailer.sendDeprovisioned(owner.email, mail).catch((error) => {
        request.log.error({ err: error, user_id: owner.user_id }, 'Owner not told of a deleted person');
      }),
    ),
  );
}
