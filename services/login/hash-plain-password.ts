import type { Flows } from '@gatehouse/shared/identity/fair-queue';
import { isPasswordHash, type PasswordStorage, type Passwords } from '@gatehouse/shared/identity/passwords';
import type { User } from '@gatehouse/shared/identity/users';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { Database } from './database.ts';

interface Options {
  config: { PASSWORD_STORAGE: PasswordStorage };
  db: Pick<Database, 'users'>;
  passwords: Passwords;
}

/**
 * Replaces a stored plain password, which has just matched, with its hash. A failure is logged; the next login tries
 * again.
 * @param flows to which the hash is charged.
 */
export async function hashPlainPassword(
  { config, db, passwords }: Options,
  { _id, password }: WithId<User>,
  flows: Flows,
  log: FastifyBaseLogger,
): Promise<void> {
  if (config.PASSWORD_STORAGE === 'plain' || isPasswordHash(password)) return;
  try {
    const hash = await passwords.encode(password, config.PASSWORD_STORAGE, flows);
    // The filter keeps a password that was changed concurrently.
    await db.users.updateOne({ _id, password }, { $set: { password: hash } });
  } catch (error) {
    log.warn({ err: error, _id }, 'The plain password of this user record could not be hashed');
  }
}
