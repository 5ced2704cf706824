import { changePasswordContract } from '@gatehouse/shared/contract/credentials';
import { accountBudget, orTakeBack, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { endingOthers, isLive } from '@gatehouse/shared/identity/sessions';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import { hasPassword } from '@gatehouse/shared/identity/ways-in';
import { operation } from './operation.ts';
import { requireLiveSession } from './own-session.ts';

/** Changes of one account within an hour. Their notices must not displace others that wait for a mail server. */
const PER_HOUR = 10;

/** CONTRACT.md §Password. */
export const changePassword = operation(changePasswordContract.line, {
  ...changePasswordContract,
  async handle({
    config,
    db,
    passwords,
    passwordPolicy,
    now,
    wakeNotices,
    request,
    caller: user_id,
    body: { new_password },
    audit,
  }) {
    const { user, session } = principalOf(request);
    const { _id, email } = user;
    if (await requiresSso(db, user, now())) throw new AppError('ssoRequired');
    const takeBack = await spendAll(db, [accountBudget('passwords', _id, PER_HOUR)], now());

    const isFirst = !hasPassword(user);
    const replace = async () => {
      await passwordPolicy({ field: 'new_password', password: new_password, person: user });
      const flows = flowsOf(request, email);
      const password = await passwords.encode(new_password, config.PASSWORD_STORAGE, flows);
      const kind = isFirst ? 'password_set' : 'password_changed';
      const { $set, $max } = endingOthers(session, now());
      const { matchedCount } = await db.users.updateOne(
        { _id, user_id, password: { $eq: user.password ?? null }, ...ACTIVE, ...isLive(session) },
        withNotice(
          {
            $set: { ...$set, password },
            $max,
            // A mailed code could replace the new password.
            $unset: { otp: true, otp_expiration: true, signup_attempts: true, foreign_hash: true },
          },
          newNotice({ kind, to: email, at: now(), request, details: {} }),
        ),
      );
      if (matchedCount === 1) return;
      await requireLiveSession(db.users, request);
      throw new AppError('duplicate', { text: 'The password has just been changed by another call' });
    };
    await orTakeBack(takeBack, replace);
    // Also end a session whose login read the old password while the new one was being written.
    const late = endingOthers(session, now()).$max;
    await db.users.updateOne({ _id, 'others_ended.kept': session.id }, { $max: late });
    wakeNotices();
    await audit('password.change', { after: { first: String(isFirst) } });
  },
});
