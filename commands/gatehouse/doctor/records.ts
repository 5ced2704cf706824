import { type Finding, fail, ok, warn } from '@gatehouse/shared/checks/finding';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { foreignHashOf, isPasswordHash } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { Db, Document } from 'mongodb';

/** Records whose field, or each element of a list, names a record elsewhere. */
export const REFERENCES: readonly Reference[] = [
  ['features', 'user_id', 'users'],
  ['passkeys', 'account', 'users', '_id'],
  ['users', 'passkeys', 'passkeys', '_id'],
  ['users', 'links', 'login_names', '_id'],
  ['login_names', 'user_id', 'users'],
  ['organizations', 'owners.user_id', 'users', 'user_id'],
  ['departments', 'organization_id', 'organizations'],
  ['memberships', 'user_id', 'users'],
  ['memberships', 'organization_id', 'organizations'],
  ['memberships', 'department_id', 'departments'],
  ['organization_people', 'user_id', 'users'],
  ['organization_people', 'organization_id', 'organizations'],
  ['former_members', 'organization_id', 'organizations'],
  ['departures', 'organization_id', 'organizations'],
  ['billing_entries', 'department_id', 'departments'],
  ['chatbots', 'owner_id', 'users', 'user_id'],
  ['chatbots', 'permissions.user_id', 'users', 'user_id'],
  ['chatbots', 'organization_id', 'organizations'],
  ['chatbots', 'department_id', 'departments'],
  ['exports', 'organization_id', 'organizations'],
  ['export_chunks', 'export_id', 'exports'],
  ['webhooks', 'owner_id', 'users', 'user_id'],
  ['webhook_deliveries', 'webhook_id', 'webhooks'],
  ['sso_connections', 'organization_id', 'organizations'],
  ['sso_domains', 'organization_id', 'organizations'],
  ['sso_domains', 'connection_id', 'sso_connections'],
  ['sso_identities', 'user_id', 'users'],
  ['sso_identities', 'connection_id', 'sso_connections'],
  ['sso_sessions', 'user_id', 'users'],
  ['sso_sessions', 'connection_id', 'sso_connections'],
  ['scim_groups', 'connection_id', 'sso_connections'],
  ['operators', '_id', 'users', 'user_id'],
];
type Reference = readonly [collection: string, field: string, target: string, targetField?: string];

/** Records that are compared at a time. */
const BATCH = 1_000;

/** Looks at the records of the database, one collection after the other; it reads all of them. */
export async function checkRecords(db: Db, onProgress: (what: string) => void): Promise<Finding[]> {
  onProgress('accounts');
  const findings = [await checkDuplicates(db), ...(await checkAccounts(db))];
  for (const reference of REFERENCES) {
    onProgress(`${reference[0]}.${reference[1]}`);
    findings.push(await checkOrphans(db, reference));
  }
  return findings;
}

async function checkDuplicates(db: Db): Promise<Finding> {
  const users = db.collection('users');
  const indexes = await users.indexes().catch(() => []);
  if (indexes.some(({ key, unique }) => unique && Object.keys(key).join() === 'user_id'))
    return ok('user_ids', 'each belongs to one account, by a unique index');
  const twice = await users
    .aggregate<{ _id: string }>(
      [
        { $match: { user_id: ANY_STRING } },
        { $group: { _id: '$user_id', count: { $sum: 1 } } },
        { $match: { count: { $gt: 1 } } },
        { $limit: 5 },
      ],
      { allowDiskUse: true },
    )
    .toArray();
  if (twice.length === 0) return ok('user_ids', 'each belongs to one account');
  const found = `several accounts have ${twice.map(({ _id }) => _id).join(', ')}`;
  const advice = 'they share roles and chatbots: give all but one of them another user_id, or remove them';
  return fail('user_ids', found, advice);
}

/** Reads every account once, in batches that leave the server to others. */
async function checkAccounts(db: Db): Promise<Finding[]> {
  const projection = { user_id: 1, verified: 1, password: 1, foreign_hash: 1, _id: 0 };
  const count = { withoutId: 0, sixDigits: 0, plain: 0, foreign: 0 };
  for await (const user of db.collection<User>('users').find({}, { projection, batchSize: BATCH })) {
    if (user.verified && userIdOf(user) === null) count.withoutId += 1;
    if (/^User-\d{6}$/.test(userIdOf(user) ?? '')) count.sixDigits += 1;
    if (typeof user.password === 'string' && !isPasswordHash(user.password)) count.plain += 1;
    if (foreignHashOf(user) !== undefined) count.foreign += 1;
  }
  const text = (of: keyof typeof count) => count[of].toLocaleString('en');
  const taken = `${text('sixDigits')} of 900,000 ids with six digits are taken`;
  const foreign = `${text('foreign')} accounts still have the hash of another system`;
  return [
    count.withoutId === 0
      ? ok('accounts', 'every verified account has a user_id')
      : warn('accounts', `${text('withoutId')} verified accounts have no user_id`, WITHOUT_ID),
    ok('free user_ids', count.sixDigits < 450_000 ? taken : `${taken}; new ones are longer`),
    count.plain === 0
      ? ok('passwords', `none is stored as submitted; ${foreign}`)
      : warn('passwords', `${text('plain')} are stored as submitted; ${foreign}`, 'npm run hash-passwords'),
  ];
}

const WITHOUT_ID = 'their people get one when they verify their address again, with forgot-password';

async function checkOrphans(db: Db, [name, field, target, targetField = field]: Reference): Promise<Finding> {
  const check = `${name}.${field}`;
  let orphans = 0;
  let example: unknown;
  const compare = async (values: unknown[]) => {
    const wanted = [...new Map(values.map((value) => [String(value), value])).values()];
    const known = new Set(
      (await db.collection(target).distinct(targetField, { [targetField]: { $in: wanted } })).map(String),
    );
    for (const value of values.filter((each) => !known.has(String(each)))) {
      orphans += 1;
      example ??= value;
    }
  };
  let batch: unknown[] = [];
  const projection = field === '_id' ? { _id: 1 } : { [field]: 1, _id: 0 };
  const records = db.collection<Document>(name).find({}, { projection, batchSize: BATCH });
  for await (const record of records) {
    batch.push(...valuesAt(record, field.split('.')));
    if (batch.length < BATCH) continue;
    await compare(batch);
    batch = [];
  }
  if (batch.length > 0) await compare(batch);
  if (orphans === 0) return ok(check, `every one is among ${target}`);
  const found = `${orphans} name none of ${target}, for example ${String(example)}`;
  return warn(
    check,
    found,
    'they open nothing; an interrupted import or an edit by hand leaves them. Remove them once you know why',
  );
}

/** The values at a path, as a query sees them: of each element of a list. */
function valuesAt(value: unknown, [name, ...rest]: string[]): unknown[] {
  if (Array.isArray(value))
    return value.flatMap((each) => valuesAt(each, name === undefined ? [] : [name, ...rest]));
  if (value === null || value === undefined || value === '') return [];
  return name === undefined ? [value] : valuesAt((value as Document)[name], rest);
}
