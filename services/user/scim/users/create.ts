import { randomUUIDv7 } from 'node:crypto';
import { ScimError } from '@gatehouse/scim/errors';
import { duplicatePositions } from '@gatehouse/shared/data/bulk-errors';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { auditAll } from '@gatehouse/shared/identity/audit';
import { domainOf, emailKey } from '@gatehouse/shared/identity/email';
import { EMAIL_COLLATION, type User } from '@gatehouse/shared/identity/users';
import type { Identity, ScimUser } from '@gatehouse/sso/records';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import { drawUserIds } from '../../account/user-ids.ts';
import { acceptOwnInvitations } from '../../organizations/invitations/accept-verified.ts';
import { findOrCreate, newAccount } from '../../provisioning/first-login.ts';
import { grantedBy } from '../../provisioning/granted-by.ts';
import type { AssignedRole } from '../../provisioning/role.ts';
import type { Call } from '../call.ts';
import { auditedUser } from './audited.ts';
import { followProfile } from './follow-profile.ts';
import { type UserInput, userNameKey } from './input.ts';
import type { ScimIdentity } from './present.ts';
import { roleRemoved } from './role.ts';
import { refuseLastOwner, type Settled, syncAccount } from './sync-account.ts';

/** Documents in one write. Other calls reach the database between writes. */
const WRITE_SIZE = 125;

interface Creation {
  input: UserInput;
  account?: Pick<User, 'email'> & { user_id: string };
  how?: 'created' | 'taken over' | 'linked';
  identity?: ScimIdentity;
  /** What following `active` changed about the account. */
  settled?: Settled;
  error?: unknown;
}

const taken = (): ScimError => new ScimError(409, 'There is a user with this userName', 'uniqueness');

/**
 * Creates users with their accounts, in a few writes for all that are new. An account that has no identity yet,
 * because a call was interrupted, is linked when the client repeats the call.
 * @returns for each input its identity, or the error that concerns it alone.
 */
export async function createUsers(
  call: Call,
  inputs: readonly UserInput[],
): Promise<(ScimIdentity | { error: unknown })[]> {
  const creations = inputs.map((input): Creation => ({ input }));
  const open = () => creations.filter(({ error }) => error === undefined);
  refuseRepeated(creations);
  await Promise.all([refuseForeign(call, open()), refuseTaken(call, open())]);
  await createAccounts(call, open());
  await each(open(), (creation) => findAccount(call, creation));
  await createIdentities(call, open());
  await each(open(), (creation) => finishUser(call, creation));
  await acceptInvitations(call, open());
  await audit(call, creations);
  return creations.map(({ identity, error }) => (identity && error === undefined ? identity : { error }));
}

/** Runs a step for each creation, a few at a time; what fails concerns that one alone. */
async function each(
  creations: readonly Creation[],
  step: (creation: Creation) => Promise<void>,
): Promise<void> {
  const queue = creations.values();
  const worker = async () => {
    for (const creation of queue)
      await step(creation).catch((error) => {
        creation.error = error;
      });
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

function refuseRepeated(creations: readonly Creation[]): void {
  const seen = new Set<string>();
  for (const creation of creations) {
    const keys = [`name ${userNameKey(creation.input.user_name)}`, `mail ${emailKey(creation.input.email)}`];
    if (keys.some((key) => seen.has(key))) creation.error = taken();
    for (const key of keys) seen.add(key);
  }
}

async function refuseForeign({ options, connection }: Call, creations: readonly Creation[]): Promise<void> {
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

async function refuseTaken({ options, connection }: Call, creations: readonly Creation[]): Promise<void> {
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
async function createAccounts({ options, connection }: Call, creations: readonly Creation[]): Promise<void> {
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

/**
 * A write that fails concerns only its own documents, so that what was written before it is finished.
 * @returns the rows whose documents were stored, and none that another document excludes.
 */
async function insertAll<T extends { creation: Creation; document: object }>(
  rows: readonly T[],
  insert: (documents: T['document'][]) => Promise<unknown>,
): Promise<T[]> {
  const stored: T[] = [];
  for (let from = 0; from < rows.length; from += WRITE_SIZE) {
    const written = rows.slice(from, from + WRITE_SIZE);
    try {
      const inserted = insert(written.map(({ document }) => document));
      const excluded = await inserted.then(() => new Set<number>(), duplicatePositions);
      stored.push(...written.filter((_, index) => !excluded.has(index)));
    } catch (error) {
      for (const { creation } of written) creation.error = error;
    }
  }
  return stored;
}

const accountFields = ({ email, name, role }: UserInput, default_role: AssignedRole) => ({
  name: name ?? email.slice(0, email.lastIndexOf('@')),
  role: role ?? default_role,
});

async function findAccount(call: Call, creation: Creation): Promise<void> {
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

/** Links the accounts: at once where the account is new, otherwise one by one. */
async function createIdentities(call: Call, creations: readonly Creation[]): Promise<void> {
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

function newIdentity({ options, connection }: Call, { input, account, how }: Creation): ScimIdentity {
  const at = new Date(options.now());
  const { user_id = '' } = account ?? {};
  return {
    identity_id: randomUUIDv7(),
    connection_id: connection.connection_id,
    user_id,
    email: emailKey(input.email),
    scim: newScimUser(input, { version: 1, isSettled: how === 'created' && input.active !== false }),
    created_at: at,
    updated_at: at,
  };
}

const newScimUser = (
  { user_name, external_id, active = true, attributes }: UserInput,
  { version, isSettled }: { version: number; isSettled: boolean },
): ScimUser => ({
  user_name,
  user_name_key: userNameKey(user_name),
  external_id,
  active,
  attributes,
  version,
  ...(!isSettled && { unsettled: true }),
});

/** Links one account, also to an identity that a login has created or whose user SCIM has deleted. */
async function linkIdentity(call: Call, creation: Creation): Promise<void> {
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
      ...newScimUser(creation.input, { version, isSettled: false }),
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

/** Makes the account and its memberships follow a user that is not simply new and active. */
async function finishUser(call: Call, creation: Creation): Promise<void> {
  const { identity, how } = creation;
  if (!identity) return;
  const { options, connection } = call;
  if (identity.scim.unsettled) {
    creation.settled = await syncAccount(options, connection, identity.identity_id);
  }
  if (how !== 'created') await followProfile(call, identity.identity_id);
}

/** Accepts the invitations of the organization to the addresses of its people. What fails stays an invitation. */
async function acceptInvitations(
  { options, request, connection }: Call,
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

const audit = ({ options, request, connection }: Call, creations: readonly Creation[]) =>
  auditAll(
    options.db,
    request,
    options.now(),
    creations.flatMap(({ identity, account, settled, how = '' }) =>
      identity && account
        ? [
            {
              action: 'scim.user' as const,
              target: { user_id: account.user_id, connection_id: connection.connection_id },
              after: { ...auditedUser(identity), account: how, ...settled },
              organization_id: connection.organization_id,
            },
          ]
        : [],
    ),
  );
