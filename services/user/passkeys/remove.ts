import { AppError } from '@gatehouse/shared/http/errors';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { ACTIVE, findUserById } from '@gatehouse/shared/identity/users';
import { keepsAnotherWay } from '@gatehouse/shared/identity/ways-in';
import { message } from '@gatehouse/shared/operation/responses';
import { canUseSso } from '../account/can-use-sso.ts';
import { requireLiveSession } from '../account/own-session.ts';
import { usableLinks } from '../links/usable-links.ts';
import { ofPasskey } from './contract.ts';
import { operation } from './operation.ts';
import { forgetUnnamed, ownPasskey } from './own-passkeys.ts';

export const removePasskey = operation('DELETE /api/v1/users/me/passkeys/{passkey_id}', {
  needs: 'own',
  fresh: true,
  summary: 'Remove a passkey',
  description:
    'The passkey no longer opens the account. The last way into an account cannot be removed: 409 unless there is a password, another passkey, a link to a provider that is offered, or single sign-on of an organization. Sessions continue; `DELETE /api/v1/users/me/sessions` ends the others.',
  params: ofPasskey,
  returns: message('Passkey removed', 'The passkey no longer opens the account.'),
  fails: ['lastWayIn'],
  audits: ['passkey.remove'],
  async handle({ config, db, now, wakeNotices, request, params: { passkey_id }, audit }) {
    const { user, session } = principalOf(request);
    const { _id, name } = await ownPasskey(db, user, passkey_id);
    const [hasSso, links] = await Promise.all([
      canUseSso(db, user, now()),
      usableLinks({ config, db }, user),
    ]);
    const notice = newNotice({ kind: 'passkey_removed', to: user.email, at: now(), request, details: {} });
    const { matchedCount } = await db.users.updateOne(
      {
        _id: user._id,
        ...(hasSso ? { passkeys: _id } : keepsAnotherWay('passkeys', _id, user, links)),
        ...ACTIVE,
        ...isLive(session),
      },
      withNotice({ $pull: { passkeys: _id } }, notice),
    );
    if (matchedCount === 0) {
      await requireLiveSession(db.users, request);
      const current = await findUserById(db.users, user._id);
      throw new AppError(current?.passkeys?.includes(_id) ? 'lastWayIn' : 'notFound');
    }
    wakeNotices();
    await audit('passkey.remove', { before: { name } });
    await db.passkeys.deleteOne({ _id, account: user._id });
    await forgetUnnamed(db, user._id, now());
  },
});
