import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { Identity, ScimUser } from '@gatehouse/sso/records';
import type { ScimCall } from '../call.ts';
import { type Creation, each, insertAll, taken } from './creation.ts';
import { type UserInput, userNameKey } from './input.ts';
import type { ScimIdentity } from './present.ts';
import { roleRemoved } from './role.ts';
import { refuseLastOwner } from './sync-account.ts';

/** Links the accounts: at once where the account is new, otherwise one by one. */
export async function createIdentities(call: ScimCall, creations: readonly Creation[]): Promise<void> {
  const { db } = call.options;
  const fresh = creations.filter(({ how }) => how === 'created');
  const identities = fresh.map((creation) => ({ creation, document: newIdentity(call, creation) }));
  const stored = await insertAll(identities, (documents) =>
    db.ssoIdentities.insertMany(documents, { ordered: false }),
  );
  for (const { creation, document } of stored) creation.identity = document;
  const others = creations.filter(({ identity, error }) => !identity && error === undefined);
  await each(others, (creation) => linkIdentity(call, creation));
}

function newIdentity({ options, connection }: ScimCall, { input, account, how }: Creation): ScimIdentity {
  const at = new Date(options.now());
  const { user_id = '' } = account ?? {};
  return {
    identity_id: randomUUIDv7(),
    connection_id: connection.connection_id,
    user_id,
    email: emailKey(input.email),
    scim: newScimUser(input, { version: 1, isSynced: how === 'created' && input.active !== false }),
    created_at: at,
    updated_at: at,
  };
}

const newScimUser = (
  { user_name, external_id, active = true, attributes }: UserInput,
  { version, isSynced }: { version: number; isSynced: boolean },
): ScimUser => ({
  user_name,
  user_name_key: userNameKey(user_name),
  external_id,
  active,
  attributes,
  version,
  ...(!isSynced && { unsettled: true }),
});

/** Links one account, also to an identity that a login has created or whose user SCIM has deleted. */
async function linkIdentity(call: ScimCall, creation: Creation): Promise<void> {
  const { db } = call.options;
  const { active } = creation.input;
  const identity = newIdentity(call, creation);
  const { connection_id, user_id, email, updated_at } = identity;
  const known: Identity | null = await db.ssoIdentities.findOne({ connection_id, user_id });
  if (known?.scim?.user_name_key !== undefined) throw taken();
  if (active === false) await refuseLastOwner(call.options, call.connection, identity);
  try {
    if (!known) {
      await db.ssoIdentities.insertOne(identity);
      creation.identity = identity;
      return;
    }
    const version = (known.scim?.version ?? 0) + 1;
    const scim = {
      ...newScimUser(creation.input, { version, isSynced: false }),
      ...roleRemoved(known.scim, creation.input),
    };
    const linked = await db.ssoIdentities.findOneAndUpdate(
      { identity_id: known.identity_id, 'scim.user_name_key': { $exists: false } },
      { $set: { email, updated_at, scim } },
      { returnDocument: 'after' },
    );
    if (!linked) throw taken();
    creation.identity = linked as ScimIdentity;
  } catch (error) {
    throw isDuplicateKey(error) ? taken() : error;
  }
}
