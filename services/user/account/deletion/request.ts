import { deleteAccountContract } from '@gatehouse/shared/contract/sessions';
import { accountBudget, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import type { User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import { soleOwnerships } from '../../access/memberships/sole-ownerships.ts';
import { operation } from '../operation.ts';

const DAY = 86_400_000;
/** Requests of one account within an hour: each is told by mail, and so is the login that takes it back. */
const PER_HOUR = 10;

/** CONTRACT.md §Deletion of accounts. */
export const deleteAccount = operation(deleteAccountContract.line, {
  ...deleteAccountContract,
  async handle({ config, db, now, wakeNotices, request, caller, audit }) {
    const { user, session } = principalOf(request);
    const { _id, email } = user;
    // An account that is about to go leads nothing.
    const organizations = await soleOwnerships(db, caller, { ...ACTIVE, deletion: { $exists: false } });
    if (organizations.length > 0) throw new AppError('lastOwner', { details: { organizations } });
    const at = now();
    const takeBack = await spendAll(db, [accountBudget('deletions', _id, PER_HOUR)], at);
    const requested_at = new Date(at);
    const due_at = new Date(Math.max(at + config.ACCOUNT_DELETION_DAYS * DAY, ...undosEnd(user)));
    const notice = newNotice({
      kind: 'deletion_requested',
      to: email,
      at,
      request,
      details: { deletes_at: due_at },
    });
    const { matchedCount } = await db.users.updateOne(
      // A concurrent change of the address can be undone for longer.
      { _id, email, deletion: { $exists: false }, ...ACTIVE, ...isLive(session) },
      withNotice(
        {
          $set: { deletion: { requested_at, due_at, next: due_at } },
          $max: { sessions_valid_from: requested_at },
        },
        notice,
      ),
    );
    // A concurrent call has asked for it or changed the address, or the account was disabled: each has ended this session.
    if (matchedCount === 0) {
      await takeBack();
      throw new AppError('invalidToken');
    }
    wakeNotices();
    await audit('account.delete_requested', { after: { due_at: due_at.toISOString() } });
    return { requested_at: requested_at.toISOString(), due_at: due_at.toISOString() };
  },
});

/**
 * When the links end that undo a change of the address, in Unix milliseconds. Whoever has changed it must not delete the
 * account before: the link would restore nothing.
 */
const undosEnd = ({ email_undos = [] }: Pick<User, 'email_undos'>): number[] =>
  email_undos.map(({ until }) => until.getTime());
