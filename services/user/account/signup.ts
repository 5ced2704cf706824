import { signupContract } from '@gatehouse/shared/contract/direct';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { orTakeBack } from '@gatehouse/shared/data/sliding-budget';
import { networksOf } from '@gatehouse/shared/http/address';
import { AppError } from '@gatehouse/shared/http/errors';
import { languageOf } from '@gatehouse/shared/http/language';
import { flowsOf } from '@gatehouse/shared/identity/fair-queue';
import { newAccountFields } from '@gatehouse/shared/identity/features';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserByEmail, findUserById, UNVERIFIED } from '@gatehouse/shared/identity/users';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';
import { codeMailFlows } from '../mail/queue.ts';
import { type MailRequest, mailBudgetSpent, mailOf, mailRetryAfter, unusedCode } from './mail-budget.ts';
import { spendCodeMail } from './network-budgets.ts';
import { directOperation } from './operation.ts';
import { type NewOtp, newOtp, OTP_VALIDITY, replaceOtp, type Submitted } from './otp.ts';

/**
 * POST /v2/signup (CONTRACT.md §Signup). Until the account is verified, each signup is an attempt of its own and
 * the last one wins, unless verification names another by its token.
 */
export const signup = directOperation(signupContract.line, {
  ...signupContract,
  audits: ['signup'],
  async handle({ config, db, mailer, passwords, passwordPolicy, tokens, now, request, body }) {
    const { email, password, name } = body;
    const language = languageOf(request.headers['accept-language']);
    const networks = networksOf(request.ip);
    const mailRequest = () => ({ now: Math.floor(now() / 1000), networks });
    const known = await findUserByEmail(db.users, email);
    if (known?.verified) throw new AppError('emailRegistered');
    await passwordPolicy({ field: 'password', password, person: { email, name } });
    const issue = async (): Promise<Issued> => {
      const stored = await passwords.encode(password, config.PASSWORD_STORAGE, flowsOf(request, email));
      return known
        ? overwriteUnverified(db, known, { password: stored, name, language }, mailRequest())
        : createUnverified(db, { email, password: stored, name, language }, mailRequest(), new Date(now()));
    };
    // Only requests that may have a code mailed cost a hash.
    if (known && mailRetryAfter(known, mailRequest()) > 0) throw mailBudgetSpent(known, mailRequest());

    const takeBack = await spendCodeMail({ config, db, ip: request.ip, now: now() }, email);
    const account = await orTakeBack(takeBack, issue);
    request.auditedAccount = account;
    await mailer.sendOtp(
      { email: account.email, language },
      account.otp,
      OTP_VALIDITY,
      account.repeated ? 'repeatedSignup' : 'none',
      codeMailFlows(request, email),
    );

    return { token: tokens.otpSent(account.email, now(), account.attempt) };
  },
});

interface Issued extends NewOtp, Pick<User, 'email' | 'user_id'> {
  /** Whether the address had signed up before. */
  repeated: boolean;
}

async function createUnverified(
  db: Database,
  submitted: Submitted & Pick<User, 'email'>,
  mail: MailRequest,
  created: Date,
): Promise<Issued> {
  const { email, password, name } = submitted;
  const code = newOtp(mail.now);
  const { otp, otp_attempt: attempt } = code;
  try {
    await db.users.insertOne({
      ...submitted,
      verified: false,
      account_status: 'paused',
      ...newAccountFields(created),
      ...code,
      otp_mails: [mailOf(mail)],
      otp_unused: [unusedCode(mail, attempt)],
      first_attempt: attempt,
      signup_attempts: [{ id: attempt, at: mail.now, password, name }],
      unverified_since: created,
    });
    return { email, otp, attempt, repeated: false };
  } catch (error) {
    if (!isDuplicateKey(error, 'email')) throw error;
    // A concurrent signup created the record, or the database's collation equates this address with another.
    const known = await findUserByEmail(db.users, email);
    if (!known) throw new AppError('emailRegistered');
    return overwriteUnverified(db, known, submitted, mail);
  }
}

/** Replaces code, password and name in one write, unless the account has been verified. */
async function overwriteUnverified(
  db: Database,
  { _id, email, user_id }: WithId<User>,
  submitted: Submitted,
  mail: MailRequest,
): Promise<Issued> {
  const code = await replaceOtp(db.users, { _id, ...UNVERIFIED }, mail, { submitted });
  if (code) {
    const { otp, attempt } = code;
    return { email, ...(user_id && { user_id }), otp, attempt, repeated: true };
  }
  const current = await findUserById(db.users, _id);
  if (current?.verified) throw new AppError('emailRegistered');
  throw mailBudgetSpent(current ?? {}, mail);
}
