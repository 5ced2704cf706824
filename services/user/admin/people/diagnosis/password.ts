import { readForeignHash } from '@gatehouse/shared/identity/foreign-hashes/foreign-hash';
import { foreignHashOf } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';

/** Whether an account has a hash of another system in a notation that no login can verify. */
export function isUnreadable(user: Pick<User, 'password' | 'foreign_hash'>): boolean {
  const foreign = foreignHashOf(user);
  return foreign !== undefined && readForeignHash(foreign) === undefined;
}
