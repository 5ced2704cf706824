import { createFactorSecrets } from '@gatehouse/shared/data/secrets';
import { spendAll } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, requiredText, typedCode } from '@gatehouse/shared/http/fields';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { factorRecord, stepOf } from '@gatehouse/shared/identity/second-factor';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { requireLiveSession } from '../account/own-session.ts';
import { VALID } from './begin-totp.ts';
import { spendChange } from './change-budget.ts';
import { operation } from './operation.ts';
import { newRecoveryCodes, recoveryCodes } from './recovery-codes.ts';

/** Wrong codes of one account within so many seconds. */
const GUESSES = { limit: 10, seconds: 15 * 60 };

const body = jsonBody({
  enrollment_id: requiredText,
  code: typedCode,
}).meta({ examples: [{ enrollment_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', code: '287082' }] });

export const confirmTotp = operation('POST /api/v1/users/me/factors/totp/confirm', {
  needs: 'own',
  fresh: true,
  returnsSecret: true,
  summary: 'Enroll an authenticator app with its first code',
  description:
    'From now on, a login with the password needs a code of the app or a recovery code. Other sessions go on; `DELETE /api/v1/users/me/sessions` ends them. Ten wrong codes in 15 minutes lead to 429, and so do ten changes of second factors in an hour.',
  body,
  returns: recoveryCodes,
  fails: ['notFound', 'codeInvalid', 'duplicate', 'rateLimited'],
  audits: ['factor.enroll'],
  async handle({ config, db, now, wakeNotices, request, body: { enrollment_id, code }, audit }) {
    const { user, session } = principalOf(request);
    const at = now();
    if (isEnrolled(user, at)) throw alreadyEnrolled();
    const { pending_factor: pending } = user;
    if (pending?.id !== enrollment_id || at - pending.created_at.getTime() > VALID) throw notPending();

    const takeBack = await spendAll(db, [{ key: `enroll ${user._id.toHexString()}`, ...GUESSES }], at);
    const secret = createFactorSecrets(config).open(pending.secret, factorRecord(pending.id));
    const last_step = stepOf(secret, code.replaceAll(/\s/g, ''), at);
    if (last_step === undefined) {
      await audit('factor.enroll', { outcome: 'Invalid code' });
      throw new AppError('codeInvalid');
    }
    await takeBack();
    const giveBack = await spendChange(db, user, at);

    const { codes, digests } = newRecoveryCodes(pending.id);
    const factor = { id: pending.id, secret: pending.secret, enrolled_at: new Date(at), last_step };
    const notice = newNotice({ kind: 'totp_enabled', to: user.email, at, request, details: {} });
    const { matchedCount } = await db.users.updateOne(
      {
        _id: user._id,
        'pending_factor.id': pending.id,
        second_factor: { $exists: false },
        ...isLive(session),
      },
      withNotice(
        {
          $set: { second_factor: { ...factor, recovery_codes: digests } },
          $unset: { pending_factor: true, factor_guesses: true },
        },
        notice,
      ),
    );
    // Another call has replaced the enrollment, or used it.
    if (matchedCount === 0) {
      await giveBack();
      await requireLiveSession(db.users, request);
      throw notPending();
    }
    wakeNotices();
    await audit('factor.enroll');
    return { recovery_codes: codes };
  },
});

const alreadyEnrolled = () => new AppError('duplicate', { text: 'The account has a second factor' });
const notPending = () =>
  new AppError('notFound', { text: 'The enrollment has expired, or another one has replaced it' });
