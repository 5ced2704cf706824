import { readForeignHash } from '@gatehouse/shared/identity/foreign-hashes/foreign-hash';
import {
  isPasswordHash,
  isTooCostly,
  isUnusable,
  unusableHash,
  withForeignHash,
} from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/user-record';

type StoredPassword = Pick<User, 'password' | 'foreign_hash'>;

/** Returns the fields of an account for a hash from elsewhere, or why nobody could log in with it. */
export function storedPassword(hash: string): StoredPassword | 'unknown' | 'too costly' {
  if (isPasswordHash(hash)) {
    if (isUnusable(hash)) return 'unknown';
    return isTooCostly({ password: hash }) ? 'too costly' : { password: hash };
  }
  const foreign = readForeignHash(hash);
  if (!foreign) return 'unknown';
  return foreign.isTooCostly ? 'too costly' : withForeignHash(hash);
}

export const noPassword = (): StoredPassword => ({ password: unusableHash() });
