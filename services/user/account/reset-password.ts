import { resetPasswordContract } from '@gatehouse/shared/contract/direct';
import { hourlyBudgetSpent } from '@gatehouse/shared/data/hourly-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import { directOperation } from './operation.ts';
import { checkOtp } from './otp.ts';

/** POST /v2/reset-password (CONTRACT.md §Reset password). */
export const resetPassword = directOperation(resetPasswordContract.line, {
  ...resetPasswordContract,
  audits: ['reset'],
  async handle({ config, db, passwords, passwordPolicy, tokens, now, wakeNotices, request, body }) {
    const { email, otp, new_password, token } = body;
    const user = await findUserByEmail(db.users, email);
    if (!user) throw new AppError('userNotFound');
    request.auditedAccount = user;

    const seconds = Math.floor(now() / 1000);
    const attempt = token ? tokens.attemptOf(token, user.email, now()) : undefined;
    // Only the right code costs a hash.
    const checked = await checkOtp(db.users, user._id, { otp, attempt, now: seconds });
    if (checked?.otp_verdict === 'budgetSpent')
      throw hourlyBudgetSpent(checked.otp_wrong_guess_times, seconds);
    if (checked?.otp_verdict !== 'valid') throw new AppError('otpInvalidOrExpired');

    // Only then: without the code nobody learns that a password is the name of the account.
    await passwordPolicy({ field: 'new_password', password: new_password, person: user });
    const password = await passwords.encode(new_password, config.PASSWORD_STORAGE, flowsOf(request, email));
    const reset = { kind: 'password_reset', to: user.email, at: now(), request, details: {} } as const;
    const { matchedCount } = await db.users.updateOne(
      { _id: user._id, otp, otp_expiration: checked.otp_expiration as number },
      withNotice(
        {
          $set: { password },
          $max: { sessions_valid_from: new Date(now()) },
          // A pending signup would replace the new password when it is activated.
          $unset: { otp: true, otp_expiration: true, signup_attempts: true, foreign_hash: true },
        },
        newNotice(reset),
      ),
    );
    // Another reset has used the code up, or a new code has replaced it.
    if (matchedCount === 0) throw new AppError('otpInvalidOrExpired');
    // Also end a session whose login read the old password while the new one was being written.
    await db.users.updateOne({ _id: user._id }, { $max: { sessions_valid_from: new Date(now()) } });
    wakeNotices();

    return { token: tokens.otpSent(user.email, now()) };
  },
});
