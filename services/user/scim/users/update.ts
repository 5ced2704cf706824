import { isDeepStrictEqual } from 'node:util';
import { changedMeanwhile, ScimError } from '@gatehouse/scim/errors';
import { applyOperations, type PatchOperation } from '@gatehouse/scim/patch';
import { requireVersion } from '@gatehouse/scim/version';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { audit } from '@gatehouse/shared/identity/audit';
import type { ScimUser } from '@gatehouse/sso/records';
import type { ScimCall } from '../call.ts';
import { auditedUser } from './audited.ts';
import { findUser } from './find.ts';
import { followProfile } from './follow-profile.ts';
import { readUser, type UserInput, userNameKey, writableUser } from './input.ts';
import type { ScimIdentity } from './present.ts';
import { roleRemoved } from './role.ts';
import { refuseLastOwner, syncAccount } from './sync-account.ts';

/** Replaces a user (RFC 7644 §3.5.1). Without `active` the user stays as they are. @throws {ScimError} */
export const replaceUser = (
  call: ScimCall,
  id: string,
  body: unknown,
  ifMatch: string | undefined,
): Promise<ScimIdentity> => {
  const input = readUser(body);
  return changeUser(call, id, ifMatch, () => input);
};

/** Applies a PATCH (RFC 7644 §3.5.2). @throws {ScimError} */
export const patchUser = (
  call: ScimCall,
  id: string,
  operations: readonly PatchOperation[],
  ifMatch: string | undefined,
): Promise<ScimIdentity> =>
  changeUser(call, id, ifMatch, ({ scim }) => readUser(applyOperations(writableUser(scim), operations)));

/**
 * Changes a user. Optimistic concurrency: one write wins, the others are decided again, unless they name the version
 * that they expect.
 */
async function changeUser(
  call: ScimCall,
  id: string,
  ifMatch: string | undefined,
  change: (identity: ScimIdentity) => UserInput,
): Promise<ScimIdentity> {
  const { before, after } = await optimistic(
    async () => {
      const before = await findUser(call, id);
      requireVersion(ifMatch, before.scim.version);
      const after = await write(call, before, change(before));
      return after && { before, after };
    },
    { attempts: 50, refusal: changedMeanwhile },
  );
  await follow(call, before, after);
  return after;
}

/** @returns undefined if a concurrent change came first; the user as it is if nothing changes. */
async function write(
  { options, connection }: ScimCall,
  before: ScimIdentity,
  input: UserInput,
): Promise<ScimIdentity | undefined> {
  const { user_name, external_id, active = before.scim.active, attributes } = input;
  const { db, now } = options;
  const { identity_id } = before;
  const { version, unsettled } = before.scim;
  if (!active && before.scim.active) await refuseLastOwner(options, connection, before);
  const fields = {
    user_name,
    user_name_key: userNameKey(user_name),
    external_id,
    active,
    attributes,
    ...roleRemoved(before.scim, input),
  };
  const { version: _, unsettled: __, ...known } = before.scim;
  if (isDeepStrictEqual(fields, known) && !unsettled && active) return before;
  const scim: ScimUser = { ...fields, version: version + 1, unsettled: true };
  try {
    const after = await db.ssoIdentities.findOneAndUpdate(
      { identity_id, 'scim.version': version, 'scim.user_name_key': { $exists: true } },
      { $set: { scim, updated_at: new Date(now()) } },
      { returnDocument: 'after' },
    );
    return (after as ScimIdentity | null) ?? undefined;
  } catch (error) {
    if (isDuplicateKey(error)) throw new ScimError(409, 'There is a user with this userName', 'uniqueness');
    throw error;
  }
}

/** Makes the account and its memberships follow. */
async function follow(call: ScimCall, before: ScimIdentity, after: ScimIdentity): Promise<void> {
  const { options, request, connection } = call;
  const { db, now } = options;
  const { connection_id, organization_id } = connection;
  const { identity_id, user_id } = after;
  const synced = await syncAccount(options, connection, identity_id);
  await followProfile(call, identity_id);
  if (after !== before)
    await audit(db, request, now(), {
      action: 'scim.user',
      target: { user_id, connection_id },
      before: auditedUser(before),
      after: { ...auditedUser(after), ...synced },
      organization_id,
    });
}
