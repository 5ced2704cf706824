import { duplicatePositions } from '@gatehouse/shared/data/bulk-errors';
import { emailKey } from '@gatehouse/shared/identity/email';
import { newFeatures } from '@gatehouse/shared/identity/features';
import { EMAIL_COLLATION } from '@gatehouse/shared/identity/users';
import { drawUserIds, placesWithRecords, takenAmong } from '../account/user-ids.ts';
import type { Database } from '../database.ts';
import type { NewUser } from './new-user.ts';
import { type ImportReport, noteProblem, refuseRow } from './report.ts';

/** Tries to write a batch: each repeats what lost its user_id to another process, or its address to a signup. */
const MAX_TRIES = 5;

interface Batch {
  db: Database;
  isDryRun: boolean;
  report: ImportReport;
}

/**
 * Creates those of the accounts whose address has none. The features records come first: they reserve the user_ids, and
 * an account is complete with its one write. After a kill in between, its id stays unused.
 */
export async function writeBatch(batch: Batch, users: readonly NewUser[]): Promise<void> {
  const { db, isDryRun, report } = batch;
  // The first row of an address wins.
  const unique = new Map(users.toReversed().map((each) => [emailKey(each.user.email), each]));
  report.existing += users.length - unique.size;
  let left = [...unique.values()].reverse();
  for (let tries = 0; left.length > 0; tries += 1) {
    left = await withoutTakenIds(batch, await withoutAccounts(batch, left));
    if (tries === MAX_TRIES) {
      for (const { line } of left)
        refuseRow(report, line, 'e-mail is equated by the database with that of another account');
      return;
    }
    const lost = isDryRun ? new Set<number>() : await insert(db, left);
    for (const { line, user, note: problem } of left.filter((_, index) => !lost.has(index))) {
      report.imported += 1;
      if (!user.verified) report.unverified += 1;
      if (problem === undefined) continue;
      report.without_password += 1;
      noteProblem(report, line, problem);
    }
    left = left.filter((_, index) => lost.has(index));
  }
}

async function withoutAccounts({ db, report }: Batch, users: NewUser[]): Promise<NewUser[]> {
  const addresses = users.map(({ user }) => user.email);
  const known = await db.users
    .find({ email: { $in: addresses } }, { collation: EMAIL_COLLATION, projection: { email: 1, _id: 0 } })
    .toArray();
  const keys = new Set(known.map(({ email }) => emailKey(email)));
  const left = users.filter(({ user }) => !keys.has(emailKey(user.email)));
  report.existing += users.length - left.length;
  return left;
}

/** Refuses accounts that bring a user_id with them which is not free. */
async function withoutTakenIds({ db, report }: Batch, users: NewUser[]): Promise<NewUser[]> {
  const brought = users.flatMap(({ user }) => user.user_id ?? []);
  if (brought.length === 0) return users;
  const taken = await takenAmong(db, brought);
  return users.filter(({ line, user }) => {
    if (user.user_id === undefined) return true;
    const isFree = !taken.has(user.user_id);
    // Also for the next row of the batch.
    taken.add(user.user_id);
    if (!isFree) refuseRow(report, line, 'user_id is taken');
    return isFree;
  });
}

/** @returns the positions of accounts whose address or user_id has been taken meanwhile. */
async function insert(db: Database, users: readonly NewUser[]): Promise<Set<number>> {
  if (users.length === 0) return new Set();
  const ids = await newIds(db, users.filter(({ user }) => user.verified && !user.user_id).length);
  const records = users.map(({ user }) => {
    if (!user.verified) return user;
    return { ...user, user_id: user.user_id ?? (ids.pop() as string), features_assigned: true };
  });
  const now = Date.now();
  const features = records.flatMap(({ verified, user_id }) =>
    verified && user_id ? newFeatures(user_id, now) : [],
  );
  if (features.length > 0)
    await db.features.insertMany(features, { ordered: false }).catch(duplicatePositions);
  return db.users.insertMany(records, { ordered: false }).then(() => new Set<number>(), duplicatePositions);
}

async function newIds(db: Database, count: number): Promise<string[]> {
  if (count === 0) return [];
  const ids = new Set<string>();
  const places = await placesWithRecords(db);
  while (ids.size < count)
    for (const id of await drawUserIds(db, count - ids.size, undefined, places)) ids.add(id);
  return [...ids];
}
