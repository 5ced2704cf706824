import { foreignHashOf, isPasswordHash, isUnusable } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Collection } from 'mongodb';
import { PLAN_FIELDS } from './person.ts';

const BATCH = 1_000;

const PROFILE_FIELDS = [
  'created_at',
  'last_login',
  'phone',
  'company',
  'role',
  'language',
  ...PLAN_FIELDS,
] as const;

/** What an export wrote, and what it could not. */
export interface ExportReport {
  exported: number;
  /** Accounts whose deletion has begun. */
  left_out: number;
  /** Accounts with a password that is not hashed yet. It is not written. */
  plain_passwords: number;
  /** Accounts with a second factor, passkeys or links to providers, which stay behind. */
  other_ways_in: number;
}

/**
 * Yields a line of JSON for each account, password hash included; `importPeople` reads it back. An account that is
 * created meanwhile may be missing.
 */
export async function* exportPeople(users: Collection<User>, report: ExportReport): AsyncGenerator<string> {
  const fields = [
    'email',
    'user_id',
    'name',
    'verified',
    'account_status',
    'password',
    'foreign_hash',
    'deletion',
  ];
  const others = ['second_factor', 'passkeys', 'links', 'imported'];
  const projection = Object.fromEntries([...fields, ...others, ...PROFILE_FIELDS].map((field) => [field, 1]));
  // The server closes a cursor whose batch takes longer than ten minutes.
  const accounts = users.find({}, { projection, sort: { _id: 1 }, batchSize: BATCH });
  for await (const user of accounts) {
    if (user.deletion?.begun_at) {
      report.left_out += 1;
      continue;
    }
    const password_hash = hashOf(user);
    if (password_hash === undefined && !isUnusable(user.password)) report.plain_passwords += 1;
    if (user.second_factor || user.passkeys?.length || user.links?.length) report.other_ways_in += 1;
    report.exported += 1;
    const { email, user_id, name, verified, account_status, imported } = user;
    const id = imported?.id;
    const profile = Object.fromEntries(PROFILE_FIELDS.map((field) => [field, user[field]]));
    const line = {
      email,
      user_id,
      id,
      name,
      verified: Boolean(verified),
      account_status,
      password_hash,
      ...profile,
    };
    yield `${JSON.stringify(line)}\n`;
  }
}

/** @returns undefined where nobody knows a password, and where it is stored as submitted. */
function hashOf(user: User): string | undefined {
  const foreign = foreignHashOf(user);
  if (foreign !== undefined) return foreign;
  const { password } = user;
  return typeof password === 'string' && isPasswordHash(password) && !isUnusable(password)
    ? password
    : undefined;
}

export const emptyExportReport = (): ExportReport => ({
  exported: 0,
  left_out: 0,
  plain_passwords: 0,
  other_ways_in: 0,
});
