import { verifyOtpContract } from '@gatehouse/shared/contract/direct';
import { AppError } from '@gatehouse/shared/http/errors';
import { ensureFeatures } from '@gatehouse/shared/identity/features';
import { findUserByEmail, UNVERIFIED } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database.ts';
import { hourlyBudgetSpent } from '../hourly-budget.ts';
import { acceptInvitations } from '../organizations/invitations/accept.ts';
import { checkOtp } from './otp.ts';
import { withNewUserId } from './user-ids.ts';

/** UNVERIFIED as an expression. To $in a missing field is not null, and an empty string is true to MongoDB. */
const wasUnverified = { $in: [{ $ifNull: ['$verified', null] }, UNVERIFIED.verified.$in] };

/** POST /v2/verify-otp (CONTRACT.md §Verify OTP). */
export const verifyOtp: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.post('/v2/verify-otp', { schema: verifyOtpContract }, async (request) => {
    const { email, otp } = request.body;
    const seconds = Math.floor(now() / 1000);
    const user = await findUserByEmail(db.users, email);
    if (!user) throw new AppError('userNotFound');

    const check = (candidate?: string) =>
      checkOtp(db.users, user._id, otp, seconds, {
        verified: true,
        account_status: { $cond: [wasUnverified, 'active', '$account_status'] },
        ...(candidate && { user_id: { $ifNull: ['$user_id', candidate] } }),
      });
    const hasUserId = user.user_id !== undefined && user.user_id !== null;
    const checked = await (hasUserId ? check() : withNewUserId(db, check));
    if (!checked) throw new AppError('userNotFound');
    const { otp_verdict: verdict } = checked;
    if (verdict === 'budgetSpent') throw hourlyBudgetSpent(checked.otp_wrong_guess_times, seconds);
    if (verdict === 'expired') throw new AppError('otpExpired');
    if (verdict !== 'valid') throw new AppError('otpInvalid');

    await ensureFeatures(db, checked, now());
    await acceptInvitations(db, checked, now());
    return { message: 'OTP verified successfully' as const, user_id: String(checked.user_id) };
  });
};
