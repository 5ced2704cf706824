import { unlinkContract } from '@gatehouse/shared/contract/links';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { endingOthers, isLive } from '@gatehouse/shared/identity/sessions';
import { ACTIVE, findUserById } from '@gatehouse/shared/identity/users';
import { keepsAnotherWay } from '@gatehouse/shared/identity/ways-in';
import { canUseSso } from '../account/can-use-sso.ts';
import { requireLiveSession } from '../account/own-session.ts';
import { linkIdOf, providerOf } from './names.ts';
import { operation } from './operation.ts';
import { usableLinks } from './usable-links.ts';

/** CONTRACT.md §Linking. */
export const unlink = operation(unlinkContract.line, {
  ...unlinkContract,
  async handle({ config, db, now, wakeNotices, request, caller: user_id, params: { link_id }, audit }) {
    const { user, session } = principalOf(request);
    const { _id, email } = user;
    const link = orNotFound(user.links?.find((each) => linkIdOf(each) === link_id));
    const provider = providerOf(link);
    const label = config.SOCIAL.find(({ name }) => name === provider)?.label ?? provider;
    const [hasSso, usable] = await Promise.all([
      canUseSso(db, user, now()),
      usableLinks({ config, db }, user),
    ]);
    const { $set, $max } = endingOthers(session, now());
    const { matchedCount } = await db.users.updateOne(
      {
        _id,
        user_id,
        ...(hasSso ? { links: link } : keepsAnotherWay('links', link, user, usable)),
        ...ACTIVE,
        ...isLive(session),
      },
      withNotice(
        // A session may have begun through the link.
        { $set, $max, $pull: { links: link } },
        newNotice({ kind: 'link_removed', to: email, at: now(), request, details: { provider: label } }),
      ),
    );
    if (matchedCount === 0) {
      await requireLiveSession(db.users, request);
      const current = await findUserById(db.users, _id);
      throw new AppError(current?.links?.includes(link) ? 'lastWayIn' : 'notFound');
    }
    wakeNotices();
    await audit('link.remove', { before: { provider } });
    // If a kill leaves it behind, it opens nothing.
    await db.loginNames.deleteOne({ _id: link, user_id });
  },
});
