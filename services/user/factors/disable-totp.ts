import { AppError } from '@gatehouse/shared/http/errors';
import { hasFactor, isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { message } from '@gatehouse/shared/operation/responses';
import { requireLiveSession } from '../account/own-session.ts';
import { operation } from './operation.ts';

export const disableTotp = operation('DELETE /api/v1/users/me/factors/totp', {
  needs: 'own',
  fresh: true,
  summary: 'Remove the authenticator app',
  description: 'The recovery codes end with it. From now on, the password alone is enough to log in.',
  returns: message('Second factor removed', 'The password alone is enough to log in.'),
  fails: ['notFound'],
  audits: ['factor.disable'],
  async handle({ db, now, wakeNotices, request, audit }) {
    const { user, session } = principalOf(request);
    const at = now();
    if (!isEnrolled(user, at)) throw new AppError('notFound');
    const notice = newNotice({ kind: 'totp_disabled', to: user.email, at, request, details: {} });
    const { matchedCount } = await db.users.updateOne(
      { ...hasFactor(user, at), ...isLive(session) },
      withNotice({ $unset: { second_factor: true, factor_reset: true, factor_guesses: true } }, notice),
    );
    if (matchedCount === 0) {
      await requireLiveSession(db.users, request);
      throw new AppError('notFound');
    }
    wakeNotices();
    await audit('factor.disable');
  },
});
