import { AppError } from '@gatehouse/shared/http/errors';
import { hasFactor, isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { requireLiveSession } from '../account/own-session.ts';
import { spendChange } from './change-budget.ts';
import { operation } from './operation.ts';
import { newRecoveryCodes, recoveryCodes } from './recovery-codes.ts';

export const replaceRecoveryCodes = operation('POST /api/v1/users/me/factors/recovery-codes', {
  needs: 'own',
  fresh: true,
  returnsSecret: true,
  summary: 'Replace the recovery codes',
  description:
    'Returns ten new codes. The earlier ones end. Ten changes of second factors in an hour lead to 429.',
  returns: recoveryCodes,
  fails: ['notFound', 'rateLimited'],
  audits: ['factor.recovery_codes'],
  async handle({ db, now, wakeNotices, request, audit }) {
    const { user, session } = principalOf(request);
    const at = now();
    if (!isEnrolled(user, at)) throw new AppError('notFound');
    const giveBack = await spendChange(db, user, at);
    const { codes, digests } = newRecoveryCodes(user.second_factor.id);
    const notice = newNotice({ kind: 'recovery_codes_replaced', to: user.email, at, request, details: {} });
    const { matchedCount } = await db.users.updateOne(
      { ...hasFactor(user, at), ...isLive(session) },
      withNotice({ $set: { 'second_factor.recovery_codes': digests } }, notice),
    );
    if (matchedCount === 0) {
      await giveBack();
      await requireLiveSession(db.users, request);
      throw new AppError('notFound');
    }
    wakeNotices();
    await audit('factor.recovery_codes');
    return { recovery_codes: codes };
  },
});
