import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { ObjectId, type WithId } from 'mongodb';
import type { Database } from '../../database.ts';

const isRecordId = (text: string): boolean => /^[0-9a-f]{24}$/.test(text);

/** What names a person in paths: the user_id or, before the account has one, the id of its record in hexadecimal. */
export const personIdOf = (user: Pick<WithId<User>, '_id' | 'user_id'>): string =>
  userIdOf(user) ?? user._id.toHexString();

/** @throws {AppError} notFound */
export async function findPerson(db: Pick<Database, 'users'>, person_id: string): Promise<WithId<User>> {
  const user =
    (await db.users.findOne({ user_id: person_id })) ??
    (isRecordId(person_id) ? await db.users.findOne({ _id: new ObjectId(person_id) }) : null);
  // An account with a user_id has one name only.
  if (!user || personIdOf(user) !== person_id)
    throw new AppError('notFound', { text: 'No account has this person_id' });
  return user;
}
