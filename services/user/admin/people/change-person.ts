import { AppError } from '@gatehouse/shared/http/errors';
import type { OperatorChange } from '@gatehouse/shared/identity/notice-records';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { Filter, UpdateFilter, WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { operatorOf } from '../../operators/require-operator.ts';
import type { AdminDependencies } from '../operation.ts';
import { findPerson } from './find-person.ts';

/** Matches an account that a job is not deleting. */
export const NOT_BEING_DELETED: Filter<User> = { 'deletion.begun_at': { $exists: false } };

/**
 * Returns the person whom a call changes. Operators are changed by admins only, and nobody acts on their own account:
 * for that there is the profile.
 * @throws {AppError} notFound, forbidden, or duplicate for an account that is being deleted.
 */
export async function personToChange(
  db: Pick<Database, 'users' | 'operators'>,
  request: FastifyRequest,
  person_id: string,
): Promise<WithId<User>> {
  const operator = operatorOf(request);
  const user = await findPerson(db, person_id);
  const user_id = userIdOf(user);
  if (user_id === operator._id)
    throw new AppError('forbidden', { text: 'Operators cannot act on their own account' });
  if (operator.level !== 'admin' && user_id !== null && (await db.operators.findOne({ _id: user_id })))
    throw new AppError('forbidden', { text: 'Only an admin can act on an operator' });
  if (user.deletion?.begun_at) throw beingChanged('The account is being deleted');
  return user;
}

/**
 * Refuses an act that shuts an operator out. Ending a level keeps one admin who can act (operators/end-admin.ts); two
 * admins who disable each other's accounts at once would leave none.
 * @throws {AppError} forbidden
 */
export async function refuseOperator(
  db: Pick<Database, 'operators'>,
  user: Pick<WithId<User>, 'user_id'>,
): Promise<void> {
  const user_id = userIdOf(user);
  if (user_id !== null && (await db.operators.findOne({ _id: user_id })))
    throw new AppError('forbidden', { text: 'The account is an operator; remove them as an operator first' });
}

interface Change {
  /** What the decision rests on, as it was read. */
  filter?: Filter<User>;
  update: UpdateFilter<User>;
}

/**
 * Changes an account and leaves the person a notice, in one write.
 * @throws {AppError} duplicate if the account has changed since it was read.
 */
export async function writeChange(
  { db, now, wakeNotices }: Pick<AdminDependencies, 'db' | 'now' | 'wakeNotices'>,
  { _id, email }: WithId<User>,
  change: OperatorChange,
  { filter, update }: Change,
): Promise<WithId<User>> {
  const notice = newNotice({ kind: 'changed_by_operator', to: email, at: now(), details: { change } });
  const changed = await db.users.findOneAndUpdate(
    { _id, email, ...NOT_BEING_DELETED, ...filter },
    withNotice(update, notice),
    { returnDocument: 'after' },
  );
  if (!changed) throw beingChanged();
  wakeNotices();
  return changed;
}

/** What the audit event of a change names: a person without a user_id by their address. */
export const targetOf = (user: WithId<User>) => {
  const user_id = userIdOf(user);
  return user_id === null ? { email: user.email } : { user_id };
};

export const beingChanged = (text = 'Somebody else has changed the account; please look again') =>
  new AppError('duplicate', { text });
