import { ANY_STRING } from '@gatehouse/shared/data/connect';
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
  const findings: Finding[] = [];
  onProgress('accounts');
  findings.push(
    await checkDuplicates(db),
    await checkWithoutId(db),
    await checkFreeIds(db),
    await checkPasswords(db),
  );
  for (const reference of REFERENCES) {
    onProgress(`${reference[0]}.${reference[1]}`);
    findings.push(await checkOrphans(db, reference));
  }
  return findings;
}

async function checkDuplicates(db: Db): Promise<Finding> {
  const twice = await db
    .collection('users')
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
  return fail(
    'user_ids',
    found,
    'give all but one of them another user_id, or remove them; they share roles and chatbots',
  );
}

async function checkWithoutId(db: Db): Promise<Finding> {
  const count = await db
    .collection('users')
    .countDocuments({ verified: true, $nor: [{ user_id: ANY_STRING }] });
  return count === 0
    ? ok('accounts', 'every verified account has a user_id')
    : warn(
        'accounts',
        `${count} verified accounts have no user_id`,
        'their people get one when they verify again (forgot-password)',
      );
}

/** A number of digits is given up when half of its ids are taken. */
async function checkFreeIds(db: Db): Promise<Finding> {
  const taken = await db.collection('users').countDocuments({ user_id: /^User-\d{6}$/ });
  const found = `${taken.toLocaleString('en')} of 900,000 ids with six digits are taken`;
  return ok('free user_ids', taken < 450_000 ? found : `${found}; new ones have seven`);
}

async function checkPasswords(db: Db): Promise<Finding> {
  const users = db.collection('users');
  const plain = await users.countDocuments({
    $and: [{ password: ANY_STRING }, { password: { $not: /^\$argon2id\$/ } }],
  });
  const foreign = await users.countDocuments({ foreign_hash: ANY_STRING });
  const found = `${foreign.toLocaleString('en')} accounts still have the hash of another system`;
  if (plain === 0) return ok('passwords', `none is stored as submitted; ${found}`);
  return warn(
    'passwords',
    `${plain.toLocaleString('en')} are stored as submitted; ${found}`,
    'npm run hash-passwords',
  );
}

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
