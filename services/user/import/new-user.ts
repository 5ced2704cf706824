import { newAccountFields } from '@gatehouse/shared/identity/features';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { CheckedPerson } from './person.ts';
import { noPassword, storedPassword } from './stored-password.ts';

/** The record of an account that is imported, with what its person must know. */
export interface NewUser {
  line: number;
  user: User;
  /** Why the person must choose a new password. */
  note?: string;
}

/**
 * Returns the record of a person. Without a verified address it has no password: a stranger may have chosen the one in
 * the export, and would get in once the owner of the address verifies it.
 */
export function newUser(line: number, person: CheckedPerson, from: string, now: Date): NewUser {
  const {
    email,
    name,
    verified,
    account_status,
    id,
    user_id,
    password_hash,
    created_at = now,
    profile,
  } = person;
  const stored = verified && password_hash !== undefined ? storedPassword(password_hash) : noPassword();
  const isRefused = typeof stored === 'string';
  const user: User = {
    email,
    ...(isRefused ? noPassword() : stored),
    name,
    verified,
    account_status,
    ...newAccountFields(created_at),
    // What happened to the address before is nobody's business.
    address_since: now,
    ...profile,
    ...(user_id !== undefined && { user_id }),
    imported: { from, at: now, ...(id !== undefined && { id }) },
  };
  return { line, user, ...(isRefused && { note: `password hash ${stored}` }) };
}
