import { undoEmailContract } from '@gatehouse/shared/contract/credentials';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { AppError } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { unusableHash } from '@gatehouse/shared/identity/passwords';
import { findUserById, userIdOf } from '@gatehouse/shared/identity/users';
import { ObjectId } from 'mongodb';
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
    const { account, former, user_id } = await optimistic(
      async () => {
        const user = await findUserById(db.users, _id);
        const undos = user?.email_undos ?? [];
        const position = undos.findIndex(({ id }) => id === link.change);
        const undo = undos[position];
        const user_id = user && userIdOf(user);
        if (!user || !user_id || !undo || undo.until.getTime() <= now() || user.deletion?.begun_at)
          throw new AppError('linkInvalid');
        const { email } = undo;
        await requireUnmanaged(db, user_id, [user.email, email]);
        const at = new Date(now());
        const account = await changeAddress(
          db.users,
          {
            _id,
            user_id,
            email: user.email,
            'email_undos.id': undo.id,
            'deletion.begun_at': { $exists: false },
          },
          email,
          withNotice(
            {
              $set: {
                // The links of later changes lead back to the mailboxes of whoever made them.
                email_undos: undos.slice(0, position),
                address_changed: { at },
                // Whoever changed the address may know it.
                password: unusableHash(),
              },
              $max: { sessions_valid_from: at },
              // Whoever changed the address may also have asked for it.
              $unset: { deletion: true },
            },
            newNotice({ kind: 'email_change_undone', to: email, at: now(), request, details: {} }),
          ),
        );
        if (account === 'taken')
          throw new AppError('duplicate', { text: 'Another account has this address by now' });
        return account ? { account, former: user.email, user_id } : undefined;
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
    await followChangedAddress(db, account, now(), request);
  },
});
