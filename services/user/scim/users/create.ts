import { ScimError } from '@gatehouse/scim/errors';
import { auditAll } from '@gatehouse/shared/identity/audit';
import { domainOf, emailKey } from '@gatehouse/shared/identity/email';
import { EMAIL_COLLATION } from '@gatehouse/shared/identity/users';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import { drawUserIds } from '../../account/user-ids.ts';
import { acceptOwnInvitations } from '../../organizations/invitations/accept-verified.ts';
import { findOrCreate, newAccount } from '../../provisioning/find-or-create.ts';
import { grantedBy } from '../../provisioning/granted-by.ts';
import type { AssignedRole } from '../../provisioning/role.ts';
import type { ScimCall } from '../call.ts';
import { auditedUser } from './audited.ts';
import { createIdentities } from './create-identities.ts';
import { type Creation, each, insertAll, taken } from './creation.ts';
import { followProfile } from './follow-profile.ts';
import { type UserInput, userNameKey } from './input.ts';
import type { ScimIdentity } from './present.ts';
import { syncAccount } from './sync-account.ts';

/**
 * Creates users with their accounts, in a few writes for all that are new. An account that has no identity yet,
 * because a call was interrupted, is linked when the client repeats the call.
 * @returns for each input its identity, or the error that concerns it alone.
 */
export async function createUsers(
  call: ScimCall,
  inputs: readonly UserInput[],
): Promise<(ScimIdentity | { error: unknown })[]> {
  const creations = inputs.map((input): Creation => ({ input }));
  const open = () => creations.filter(({ error }) => error === undefined);
  await Promise.all([refuseForeign(call, open()), refuseTaken(call, open())]);
  // A refused user takes no name from those that follow.
  refuseRepeated(open());
  await createAccounts(call, open());
  await each(open(), (creation) => findAccount(call, creation));
  await createIdentities(call, open());
  await each(open(), (creation) => finishUser(call, creation));
  await acceptInvitations(call, open());
  await audit(call, creations);
  return creations.map(({ identity, error }) => (identity && error === undefined ? identity : { error }));
}

function refuseRepeated(creations: readonly Creation[]): void {
  const seen = new Set<string>();
  for (const creation of creations) {
    const keys = [`name ${userNameKey(creation.input.user_name)}`, `mail ${emailKey(creation.input.email)}`];
    if (keys.some((key) => seen.has(key))) creation.error = taken();
    for (const key of keys) seen.add(key);
  }
}

async function refuseForeign(
  { options, connection }: ScimCall,
  creations: readonly Creation[],
): Promise<void> {
  const { organization_id } = connection;
  const domains = [...new Set(creations.map(({ input }) => domainOf(input.email)))];
  const own = await options.db.ssoDomains.distinct('verified_domain', {
    verified_domain: { $in: domains },
    organization_id,
  });
  for (const creation of creations) {
    const domain = domainOf(creation.input.email);
    if (!own.includes(domain))
      creation.error ??= new ScimError(403, `The organization has not verified the domain ${domain}`);
  }
}

async function refuseTaken({ options, connection }: ScimCall, creations: readonly Creation[]): Promise<void> {
  const { connection_id } = connection;
  const keys = creations.map(({ input }) => userNameKey(input.user_name));
  const known = new Set(
    await options.db.ssoIdentities.distinct('scim.user_name_key', {
      connection_id,
      'scim.user_name_key': { $in: keys },
    }),
  );
  for (const creation of creations)
    if (known.has(userNameKey(creation.input.user_name))) creation.error ??= taken();
}

/** Writes accounts for all addresses. The unique index refuses those that have one; they are linked one by one. */
async function createAccounts(
  { options, connection }: ScimCall,
  creations: readonly Creation[],
): Promise<void> {
  const { db, now } = options;
  if (creations.length < 2) return;
  const ids = await drawUserIds(db, creations.length);
  const accounts = creations.slice(0, ids.length).map((creation, index) => ({
    creation,
    document: {
      ...newAccount(creation.input.email, accountFields(creation.input, connection.default_role), now()),
      user_id: ids[index] as string,
    },
  }));
  const stored = await insertAll(accounts, (users) => db.users.insertMany(users, { ordered: false }));
  for (const { creation, document } of stored) Object.assign(creation, { account: document, how: 'created' });
}

const accountFields = ({ email, name, role }: UserInput, default_role: AssignedRole) => ({
  name: name ?? email.slice(0, email.lastIndexOf('@')),
  role: role ?? default_role,
});

async function findAccount(call: ScimCall, creation: Creation): Promise<void> {
  if (creation.account) return;
  const { options, connection } = call;
  const { db } = options;
  const { input } = creation;
  // This connection has disabled the account; an active user enables it again.
  const own = await db.users.findOne(
    {
      email: input.email,
      account_status: 'disabled',
      'deprovisioned.by': grantedBy(connection.connection_id),
    },
    { collation: EMAIL_COLLATION },
  );
  if (own?.user_id && emailKey(own.email) === emailKey(input.email)) {
    Object.assign(creation, { account: own, how: 'linked' });
    return;
  }
  try {
    const { user, how } = await findOrCreate(
      options,
      input.email,
      accountFields(input, connection.default_role),
    );
    Object.assign(creation, { account: user, how });
  } catch (error) {
    if (!(error instanceof SsoRefusal)) throw error;
    throw new ScimError(403, `The account of ${input.email} cannot be provisioned: ${error.detail}`);
  }
}

/** Makes the account and its memberships follow a user that is not simply new and active. */
async function finishUser(call: ScimCall, creation: Creation): Promise<void> {
  const { identity, how } = creation;
  if (!identity) return;
  const { options, connection } = call;
  if (identity.scim.unsettled) {
    creation.synced = await syncAccount(options, connection, identity.identity_id);
  }
  if (how !== 'created') await followProfile(call, identity.identity_id);
}

/** Accepts the invitations of the organization to the addresses of its people. One that cannot be accepted stays an invitation. */
async function acceptInvitations(
  { options, request, connection }: ScimCall,
  creations: readonly Creation[],
): Promise<void> {
  const { db, now } = options;
  const { organization_id } = connection;
  const emails = creations.map(({ input }) => emailKey(input.email));
  const log = (error: unknown) => {
    request.log.error({ err: error }, 'invitations of new users not accepted');
    return [];
  };
  const invited: unknown[] = await db.memberships
    .distinct('email', { email: { $in: emails }, organization_id, user_id: { $exists: false } })
    .catch(log);
  for (const { input, account } of creations)
    if (account && invited.includes(emailKey(input.email)))
      await acceptOwnInvitations(db, account, organization_id, now(), request).catch(log);
}

const audit = ({ options, request, connection }: ScimCall, creations: readonly Creation[]) =>
  auditAll(
    options.db,
    request,
    options.now(),
    creations.flatMap(({ identity, account, synced, how = '' }) =>
      identity && account
        ? [
            {
              action: 'scim.user' as const,
              target: { user_id: account.user_id, connection_id: connection.connection_id },
              after: { ...auditedUser(identity), account: how, ...synced },
              organization_id: connection.organization_id,
            },
          ]
        : [],
    ),
  );
