import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { foreignHashOf, isPasswordHash } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { Db, Document } from 'mongodb';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Records whose field names a record elsewhere. */
const REFERENCES: readonly Reference[] = [
  ['features', 'user_id', 'users'],
  ['memberships', 'user_id', 'users'],
  ['memberships', 'organization_id', 'organizations'],
  ['departments', 'organization_id', 'organizations'],
  ['chatbots', 'owner_id', 'users', 'user_id'],
  ['webhooks', 'owner_id', 'users', 'user_id'],
  ['sso_identities', 'user_id', 'users'],
  ['sso_identities', 'connection_id', 'sso_connections'],
  ['login_names', 'user_id', 'users'],
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
    const wanted = [...new Set(values)];
    const known = new Set(
      await db.collection(target).distinct(targetField, { [targetField]: { $in: wanted } }),
    );
    for (const value of values.filter((each) => !known.has(each))) {
      orphans += 1;
      example ??= value;
    }
  };
  let batch: unknown[] = [];
  const records = db
    .collection<Document>(name)
    .find({ [field]: ANY_STRING }, { projection: { [field]: 1, _id: 0 }, batchSize: BATCH });
  for await (const record of records) {
    batch.push(record[field]);
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
