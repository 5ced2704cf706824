import { verifyOtpContract } from '@gatehouse/shared/contract/direct';
import { hourlyBudgetSpent } from '@gatehouse/shared/data/hourly-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { findUserByEmail, IS_UNVERIFIED, isActive } from '@gatehouse/shared/identity/users';
import { completeActivation } from '../organizations/invitations/accept-verified.ts';
import { spendActivation } from './network-budgets.ts';
import { directOperation } from './operation.ts';
import { checkOtp } from './otp.ts';
import { activateAttempt, activatesNothing } from './signup-attempts.ts';
import { withNewUserId } from './user-ids.ts';

/** A right code does not lift what an operator has imposed. */
const ACTIVATES = { $and: [IS_UNVERIFIED, { $ne: ['$account_status', 'disabled'] }] };

/** POST /v2/verify-otp (CONTRACT.md §Verify OTP). */
export const verifyOtp = directOperation(verifyOtpContract.line, {
  ...verifyOtpContract,
  audits: ['verify', 'invitation.accept'],
  async handle({ config, db, tokens, now, request, body }) {
    const { email, otp, token } = body;
    const seconds = Math.floor(now() / 1000);
    const user = await findUserByEmail(db.users, email);
    if (!user) throw new AppError('userNotFound');

    const attempt = token ? tokens.attemptOf(token, user.email, now()) : undefined;
    const check = (candidate?: string) =>
      checkOtp(
        db.users,
        user._id,
        { otp, attempt, now: seconds },
        {
          verified: true,
          account_status: { $cond: [ACTIVATES, 'active', '$account_status'] },
          activated_at: { $cond: [ACTIVATES, new Date(now()), '$activated_at'] },
          ...(candidate && { user_id: { $ifNull: ['$user_id', candidate] } }),
          ...(attempt && activateAttempt(attempt)),
          signup_attempts: '$$REMOVE',
          first_attempt: '$$REMOVE',
          unverified_since: '$$REMOVE',
        },
        activatesNothing(attempt),
      );
    const takeBack = user.verified
      ? undefined
      : await spendActivation({ config, db, ip: request.ip, now: now() });
    const hasUserId = user.user_id !== undefined && user.user_id !== null;
    const checked = await (hasUserId ? check() : withNewUserId(db, check));
    if (checked?.otp_verdict !== 'valid') await takeBack?.();
    if (!checked) throw new AppError('userNotFound');
    request.auditedAccount = checked;
    const { otp_verdict: verdict } = checked;
    if (verdict === 'budgetSpent') throw hourlyBudgetSpent(checked.otp_wrong_guess_times, seconds);
    if (verdict === 'expired') throw new AppError('otpExpired');
    if (verdict !== 'valid') throw new AppError('otpInvalid');

    // Also if an earlier call has activated the account, but could not complete it.
    if (checked.activated_at && isActive(checked)) request.auditedChange = { account_status: 'active' };
    await completeActivation(db, checked, now(), request);
    return { message: 'OTP verified successfully' as const, user_id: String(checked.user_id) };
  },
});
