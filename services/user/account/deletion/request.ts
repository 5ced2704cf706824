import type { Config } from '@gatehouse/shared/config';
import { deleteAccountContract } from '@gatehouse/shared/contract/sessions';
import { accountBudget, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { Filter, WithId } from 'mongodb';
import { soleOwnerships } from '../../access/memberships/sole-ownerships.ts';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';

const DAY = 86_400_000;
/** Requests of one account within an hour: each is told by mail, and so is the login that takes it back. */
const PER_HOUR = 10;

/** CONTRACT.md §Deletion of accounts. */
export const deleteAccount = operation(deleteAccountContract.line, {
  ...deleteAccountContract,
  async handle({ config, db, now, wakeNotices, request, caller, audit }) {
    const { user, session } = principalOf(request);
    const { _id } = user;
    // An account that is about to go leads nothing.
    const organizations = await soleOwnerships(db, caller, { ...ACTIVE, deletion: { $exists: false } });
    if (organizations.length > 0) throw new AppError('lastOwner', { details: { organizations } });
    const at = now();
    const takeBack = await spendAll(db, [accountBudget('deletions', _id, PER_HOUR)], at);
    const requested = await requestDeletion({ config, db, now }, user, {
      filter: { ...ACTIVE, ...isLive(session) },
      request,
    });
    // A concurrent call has asked for it or changed the address, or the account was disabled: each has ended this session.
    if (!requested) {
      await takeBack();
      throw new AppError('invalidToken');
    }
    wakeNotices();
    await audit('account.delete_requested', { after: { due_at: requested.due_at } });
    return requested;
  },
});

/**
 * Lets an account be deleted when its days are over, ends its sessions and leaves the notice, in one write.
 * @param options.filter what else the account must meet.
 * @param options.request that of the person, unless somebody else has asked.
 * @returns the dates in ISO 8601; undefined if the account no longer matches.
 */
export async function requestDeletion(
  {
    config,
    db,
    now,
  }: {
    config: Pick<Config<'user'>, 'ACCOUNT_DELETION_DAYS'>;
    db: Pick<Database, 'users'>;
    now: () => number;
  },
  user: WithId<User>,
  { filter = {}, request }: { filter?: Filter<User>; request?: FastifyRequest } = {},
): Promise<{ requested_at: string; due_at: string } | undefined> {
  const { _id, email } = user;
  const at = now();
  const requested_at = new Date(at);
  const due_at = new Date(Math.max(at + config.ACCOUNT_DELETION_DAYS * DAY, ...undosEnd(user)));
  const details = { deletes_at: due_at };
  const { matchedCount } = await db.users.updateOne(
    // A concurrent change of the address can be undone for longer.
    { _id, email, deletion: { $exists: false }, ...filter },
    withNotice(
      {
        $set: { deletion: { requested_at, due_at, next: due_at } },
        $max: { sessions_valid_from: requested_at },
      },
      newNotice({ kind: 'deletion_requested', to: email, at, details, ...(request && { request }) }),
    ),
  );
  if (matchedCount === 0) return undefined;
  return { requested_at: requested_at.toISOString(), due_at: due_at.toISOString() };
}

/**
 * When the links end that undo a change of the address, in Unix milliseconds. Whoever has changed it must not delete the
 * account before: the link would restore nothing.
 */
const undosEnd = ({ email_undos = [] }: Pick<User, 'email_undos'>): number[] =>
  email_undos.map(({ until }) => until.getTime());
