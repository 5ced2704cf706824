import type { Database } from '@gatehouse/shared/database';
import { forgotPasswordContract } from '@gatehouse/shared/direct-contract';
import { AppError } from '@gatehouse/shared/errors';
import type { Mailer } from '@gatehouse/shared/mail';
import { hourlyBudgetSpent, replaceOtp } from '@gatehouse/shared/otp';
import type { Tokens } from '@gatehouse/shared/tokens';
import { findUserByEmail } from '@gatehouse/shared/users';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';

interface Options {
  db: Database;
  mailer: Mailer;
  tokens: Tokens;
  now: () => number;
}

/** POST /v2/forgot-password (spec §Direct contract). */
export async function forgotPassword(
  root: FastifyInstance,
  { db, mailer, tokens, now }: Options,
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .post('/v2/forgot-password', { schema: forgotPasswordContract }, async (request, reply) => {
      const seconds = Math.floor(now() / 1000);
      const user = await findUserByEmail(db.users, request.body.email);
      if (!user) throw new AppError('userNotFound');
      const otp = await replaceOtp(db.users, { _id: user._id }, seconds);
      if (!otp) throw hourlyBudgetSpent(user.otp_mail_times, seconds);
      await mailer.sendOtp(user.email, otp);
      reply.header('cache-control', 'no-store');
      return { token: tokens.otpSent(user.email, now()) };
    });
}
