import { forgotPasswordContract } from '@gatehouse/shared/contract/direct';
import { addressKey } from '@gatehouse/shared/http/address';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { findUserByEmail, findUserById, type User } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../database.ts';
import type { Mailer } from '../mail.ts';
import { mailBudgetSpent } from './mail-budget.ts';
import { OTP_VALIDITY, replaceOtp } from './otp.ts';
import { isOnlySignup } from './signup-attempts.ts';

interface Options {
  db: Database;
  mailer: Mailer;
  tokens: Tokens;
  now: () => number;
}

const route = { schema: forgotPasswordContract, config: { audits: 'forgot' } } as const;

/** POST /v2/forgot-password (CONTRACT.md §Forgot password). */
export const forgotPassword: FastifyPluginAsyncZod<Options> = async (app, { db, mailer, tokens, now }) => {
  app.post('/v2/forgot-password', route, async (request) => {
    const mail = { now: Math.floor(now() / 1000), network: addressKey(request.ip) };
    const user = await findUserByEmail(db.users, request.body.email);
    if (!user) throw new AppError('userNotFound');

    const code = await replaceOtp(db.users, { _id: user._id }, mail);
    if (!code) {
      const current = await findUserById(db.users, user._id);
      if (!current) throw new AppError('userNotFound');
      throw mailBudgetSpent(current, mail);
    }
    await mailer.sendOtp(user.email, code.otp, OTP_VALIDITY, warningFor(code.user));

    return { token: tokens.otpSent(user.email, now(), code.attempt) };
  });
};

/** What the mail of a code says about signups. */
function warningFor(user: User) {
  if (user.verified) return 'none';
  return isOnlySignup(user) ? 'notVerified' : 'signUpAgain';
}
