import { signupContract } from '@gatehouse/shared/contract/direct';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { FREE_PLAN } from '@gatehouse/shared/identity/features';
import type { PasswordStorage, Passwords } from '@gatehouse/shared/identity/passwords';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import { findUserByEmail, findUserById, UNVERIFIED, type User } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';
import { hourlyBudgetSpent } from '../hourly-budget.ts';
import type { Mailer } from '../mail.ts';
import { newOtp, OTP_VALIDITY, replaceOtp } from './otp.ts';

interface Options {
  config: { PASSWORD_STORAGE: PasswordStorage };
  db: Database;
  mailer: Mailer;
  passwords: Passwords;
  tokens: Tokens;
  now: () => number;
}

/** POST /v2/signup (CONTRACT.md §Signup). Until the account is verified, the last signup wins. */
export const signup: FastifyPluginAsyncZod<Options> = async (
  app,
  { config, db, mailer, passwords, tokens, now },
) => {
  app.post('/v2/signup', { schema: signupContract, config: { audits: 'signup' } }, async (request, reply) => {
    const { email, password, name } = request.body;
    const known = await findUserByEmail(db.users, email);
    if (known?.verified) throw new AppError('emailRegistered');

    const stored = await passwords.encode(password, config.PASSWORD_STORAGE);
    const account = known
      ? await overwriteUnverified(db, known, { password: stored, name }, now())
      : await createUnverified(db, { email, password: stored, name }, now());
    await mailer.sendOtp(account.email, account.otp, OTP_VALIDITY);

    reply.header('cache-control', 'no-store');
    return { token: tokens.otpSent(account.email, now()) };
  });
};

type NewCode = { email: string; otp: string };

async function createUnverified(
  db: Database,
  submitted: Pick<User, 'email' | 'password' | 'name'>,
  now: number,
): Promise<NewCode> {
  const created_at = new Date(now).toISOString();
  const today = created_at.slice(0, 10);
  const seconds = Math.floor(now / 1000);
  const code = newOtp(seconds);
  try {
    await db.users.insertOne({
      ...submitted,
      verified: false,
      account_status: 'paused',
      payment_status: 'pending',
      ...code,
      otp_mail_times: [seconds],
      'user_created_at(DATE)': today,
      created_at,
      subscription_id: FREE_PLAN.id,
      subscription_plan: FREE_PLAN.name,
      subscription_date: today,
    });
    return { email: submitted.email, otp: code.otp };
  } catch (error) {
    if (!isDuplicateKey(error, 'email')) throw error;
    // A concurrent signup created the record, or the database's collation equates this address with another.
    const known = await findUserByEmail(db.users, submitted.email);
    if (!known) throw new AppError('emailRegistered');
    return overwriteUnverified(db, known, submitted, now);
  }
}

/** Replaces code, password and name in one write, unless the account has been verified meanwhile. */
async function overwriteUnverified(
  db: Database,
  { _id, email }: WithId<User>,
  { password, name }: Pick<User, 'password' | 'name'>,
  now: number,
): Promise<NewCode> {
  const seconds = Math.floor(now / 1000);
  const otp = await replaceOtp(db.users, { _id, ...UNVERIFIED }, seconds, { password, name });
  if (otp) return { email, otp };
  const current = await findUserById(db.users, _id);
  if (current?.verified) throw new AppError('emailRegistered');
  throw hourlyBudgetSpent(current?.otp_mail_times, seconds);
}
