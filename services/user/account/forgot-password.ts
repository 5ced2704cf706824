import { forgotPasswordContract } from '@gatehouse/shared/contract/direct';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database.ts';
import { hourlyBudgetSpent } from '../hourly-budget.ts';
import type { Mailer } from '../mail.ts';
import { OTP_VALIDITY, replaceOtp } from './otp.ts';

interface Options {
  db: Database;
  mailer: Mailer;
  tokens: Tokens;
  now: () => number;
}

/** POST /v2/forgot-password (CONTRACT.md §Forgot password). */
export const forgotPassword: FastifyPluginAsyncZod<Options> = async (app, { db, mailer, tokens, now }) => {
  app.post(
    '/v2/forgot-password',
    { schema: forgotPasswordContract, config: { audits: 'forgot' } },
    async (request, reply) => {
      const seconds = Math.floor(now() / 1000);
      const user = await findUserByEmail(db.users, request.body.email);
      if (!user) throw new AppError('userNotFound');

      const otp = await replaceOtp(db.users, { _id: user._id }, seconds);
      if (!otp) throw hourlyBudgetSpent(user.otp_mail_times, seconds);
      await mailer.sendOtp(user.email, otp, OTP_VALIDITY);

      reply.header('cache-control', 'no-store');
      return { token: tokens.otpSent(user.email, now()) };
    },
  );
};
