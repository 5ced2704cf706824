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
import type { Mailer } from '../mail.ts';
import { hourlyBudgetSpent, newOtp, replaceOtp } from './otp.ts';

interface Options {
  config: { PASSWORD_STORAGE: PasswordStorage };
  db: Database;
  mailer: Mailer;
  passwords: Passwords;
  tokens: Tokens;
  now: () => number;
}

/** POST /v2/signup (spec §Direct contract). While an account is unverified, the last signup wins. */
export const signup: FastifyPluginAsyncZod<Options> = async (
  app,
  { config, db, mailer, passwords, tokens, now },
) => {
  app.post('/v2/signup', { schema: signupContract }, async (request, reply) => {
    const { email, password, name } = request.body;
    const known = await findUserByEmail(db.users, email);
    if (known?.verified) throw new AppError('emailRegistered');
    const stored = await passwords.encode(password, config.PASSWORD_STORAGE);
    const account = known
      ? await signUpAgain(db, known, { password: stored, name }, now())
      : await signUpFirst(db, { email, password: stored, name }, now());
    await mailer.sendOtp(account.email, account.otp);
    reply.header('cache-control', 'no-store');
    return { token: tokens.otpSent(account.email, now()) };
  });
};

type Account = { email: string; otp: string };

async function signUpFirst(
  db: Database,
  who: Pick<User, 'email' | 'password' | 'name'>,
  now: number,
): Promise<Account> {
  const created_at = new Date(now).toISOString();
  const today = created_at.slice(0, 10);
  const seconds = Math.floor(now / 1000);
  const { otp, ...fresh } = newOtp(seconds);
  try {
    await db.users.insertOne({
      ...who,
      verified: false,
      account_status: 'paused',
      payment_status: 'pending',
      otp,
      ...fresh,
      otp_mail_times: [seconds],
      'user_created_at(DATE)': today,
      created_at,
      subscription_id: FREE_PLAN.id,
      subscription_plan: FREE_PLAN.name,
      subscription_date: today,
    });
    return { email: who.email, otp };
  } catch (error) {
    if (!isDuplicateKey(error, 'email')) throw error;
    // Another signup was faster; or the address is taken by one that the database's collation takes for it.
    const known = await findUserByEmail(db.users, who.email);
    if (!known) throw new AppError('emailRegistered');
    return signUpAgain(db, known, who, now);
  }
}

/** The new code, password and name replace the old ones in one write, unless the account is active by now. */
async function signUpAgain(
  db: Database,
  { _id, email }: WithId<User>,
  { password, name }: Pick<User, 'password' | 'name'>,
  now: number,
): Promise<Account> {
  const seconds = Math.floor(now / 1000);
  const otp = await replaceOtp(db.users, { _id, ...UNVERIFIED }, seconds, { password, name });
  if (otp) return { email, otp };
  const current = await findUserById(db.users, _id);
  if (current?.verified) throw new AppError('emailRegistered');
  throw hourlyBudgetSpent(current?.otp_mail_times, seconds);
}
