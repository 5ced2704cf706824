import { undoEmailContract } from '@gatehouse/shared/contract/credentials';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { unusableHash } from '@gatehouse/shared/identity/passwords';
import { EMAIL_UNDO_LIFETIME } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserById, userIdOf } from '@gatehouse/shared/identity/users';
import { type Filter, ObjectId } from 'mongodb';
import { ownLinks } from '../links/list-links.ts';
import { providerOf } from '../links/names.ts';
import { ownPasskeys } from '../passkeys/own-passkeys.ts';
import { changeAddress } from './change-address.ts';
import { followChangedAddress } from './follow-changed-address.ts';
import { requireUnmanaged } from './managed-address.ts';
import { operation } from './operation.ts';

/** Changes of one account are few at a time. */
const MAX_TRIES = 5;

/** CONTRACT.md §E-mail. */
export const undoEmail = operation(undoEmailContract.line, {
  ...undoEmailContract,
  async handle({ db, tokens, now, wakeNotices, request, body: { token } }) {
    const link = tokens.emailUndoOf(token, now());
    if (!link) throw new AppError('linkInvalid');
    const _id = new ObjectId(link.account);
    const { account, former, user_id, endsFactor, late, lateLinks, at } = await optimistic(
      async () => {
        const user = await findUserById(db.users, _id);
        const undos = user?.email_undos ?? [];
        const position = undos.findIndex(({ id }) => id === link.change);
        const undo = undos[position];
        const user_id = user && userIdOf(user);
        if (!user || !user_id || !undo || undo.until.getTime() <= now() || user.deletion?.begun_at)
          throw new AppError('linkInvalid');
        const { email } = undo;
        const changedAt = new Date(undo.until.getTime() - EMAIL_UNDO_LIFETIME * 1000);
        // Whoever changed the address may own the organization that manages the new one.
        await requireUnmanaged(db, user_id, [email], changedAt);
        const { second_factor, deprovisioned } = user;
        const endsFactor = second_factor !== undefined && second_factor.enrolled_at > changedAt;
        const late = (await ownPasskeys(db, user)).filter(({ created_at }) => created_at > changedAt);
        const lateLinks = (await ownLinks(db, user.links, user_id)).filter(
          ({ created_at }) => created_at > changedAt,
        );
        const at = new Date(now());
        const notice = { to: email, at: now(), request, details: {} };
        const account = await changeAddress(
          db,
          { ...user, user_id },
          { 'email_undos.id': undo.id, 'deletion.begun_at': { $exists: false }, ...unchanged(user) },
          { email, at },
          withNotice(
            {
              $set: {
                // The links of later changes lead back to the mailboxes of whoever made them.
                email_undos: undos.slice(0, position),
                address_changed: { at, undoes: changedAt },
                // Whoever changed the address may know it.
                password: unusableHash(),
                // The account was active when its address changed, so an organization of a later address disabled it.
                ...(deprovisioned && {
                  account_status: deprovisioned.account_status as User['account_status'],
                }),
              },
              $max: { sessions_valid_from: at, keys_valid_from: at },
              $pull: {
                passkeys: { $in: late.map((passkey) => passkey._id) },
                links: { $in: lateLinks.map((link) => link._id) },
              },
              $unset: {
                foreign_hash: true,
                // Whoever changed the address may also have asked for it.
                deletion: true,
                deprovisioned: true,
                pending_factor: true,
                // Perhaps asked for by whoever had changed the address.
                factor_reset: true,
                ...(endsFactor && { second_factor: true, factor_guesses: true }),
              },
            },
            newNotice({ kind: 'email_change_undone', ...notice }),
            ...(endsFactor ? [newNotice({ kind: 'totp_disabled', ...notice })] : []),
            ...(late.length > 0 ? [newNotice({ kind: 'passkey_removed', ...notice })] : []),
            ...lateLinks.map((link) =>
              newNotice({ kind: 'link_removed', ...notice, details: { provider: providerOf(link._id) } }),
            ),
          ),
        );
        if (account === 'taken')
          throw new AppError('duplicate', { text: 'Another account has this address by now' });
        return account
          ? { account, former: user.email, user_id, endsFactor, late, lateLinks, at }
          : undefined;
      },
      { attempts: MAX_TRIES },
    );
    const { email } = account;
    wakeNotices();
    await audit(db, request, now(), {
      action: 'email.undo',
      user_id,
      email,
      before: { email: former },
      after: { email },
    });
    if (endsFactor) await audit(db, request, now(), { action: 'factor.disable', user_id, email });
    for (const passkey of late)
      await audit(db, request, now(), {
        action: 'passkey.remove',
        user_id,
        email,
        before: { name: passkey.name },
      });
    for (const link of lateLinks)
      await audit(db, request, now(), {
        action: 'link.remove',
        user_id,
        email,
        before: { provider: providerOf(link._id) },
      });
    await db.loginNames.deleteMany({ user_id, _id: { $in: lateLinks.map((link) => link._id) } });
    await db.passkeys.deleteMany({ account: _id, _id: { $in: late.map((passkey) => passkey._id) } });
    await db.machineKeys.deleteMany({ owner: _id, created_at: { $lte: at } });
    await followChangedAddress(db, account, now(), request);
  },
});

/** Matches an account whose second factor, passkeys, links and status are still those that were read. */
const unchanged = ({ second_factor, passkeys, links, deprovisioned }: User): Filter<User> => ({
  passkeys: passkeys ?? { $exists: false },
  links: links ?? { $exists: false },
  'second_factor.id': second_factor?.id ?? { $exists: false },
  'deprovisioned.by': deprovisioned?.by ?? { $exists: false },
});
