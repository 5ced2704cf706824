import { forgotPasswordContract } from '@gatehouse/shared/contract/direct';
import { networksOf } from '@gatehouse/shared/http/address';
import { AppError } from '@gatehouse/shared/http/errors';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserByEmail, findUserById, UNVERIFIED } from '@gatehouse/shared/identity/users';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';
import { codeMailFlows } from '../mail/queue.ts';
import { type MailRequest, mailBudgetSpent } from './mail-budget.ts';
import { spendCodeMail } from './network-budgets.ts';
import { directOperation } from './operation.ts';
import { OTP_VALIDITY, replaceOtp } from './otp.ts';
import { isOnlySignup } from './signup-attempts.ts';

/** POST /v2/forgot-password (CONTRACT.md §Forgot password). */
export const forgotPassword = directOperation(forgotPasswordContract.line, {
  ...forgotPasswordContract,
  audits: ['forgot'],
  async handle({ config, db, mailer, tokens, now, request, body }) {
    const mail = { now: Math.floor(now() / 1000), networks: networksOf(request.ip) };
    const { email, token } = body;
    const user = await findUserByEmail(db.users, email);
    if (!user) throw new AppError('userNotFound');

    const takeBack = await spendCodeMail({ config, db, ip: request.ip, now: now() }, user.email);
    const attempt = token && tokens.attemptOf(token, user.email, now());
    const again = attempt ? await anotherCode(db, user, attempt, mail) : undefined;
    const code = again ?? (await replaceOtp(db.users, { _id: user._id, email: user.email }, mail));
    if (!code) {
      await takeBack();
      const current = await findUserById(db.users, user._id);
      // Deleted, or a login by single sign-on has changed the address.
      if (current?.email !== user.email) throw new AppError('userNotFound');
      throw mailBudgetSpent(current, mail);
    }
    const isResent = code.user.signup_attempts?.some(({ id }) => id === attempt);
    const warning = isResent ? resendWarning(code.user) : warningFor(code.user);
    const flows = codeMailFlows(request, user.email);
    await mailer.sendOtp(user, code.otp, OTP_VALIDITY, warning, flows);

    return { token: tokens.otpSent(user.email, now(), code.attempt) };
  },
});

/** The warning in the mail of a code. */
function warningFor(user: User) {
  if (user.verified) return 'none';
  return isOnlySignup(user) ? 'notVerified' : 'signUpAgain';
}

/**
 * Replaces the code of the newest signup for the holder of its token; undefined for any other. A code of an older one
 * is a code of forgot-password: without the token it must not activate the newest.
 */
const anotherCode = (db: Database, { _id }: WithId<User>, attempt: string, mail: MailRequest) => {
  const isNewest = { $eq: [{ $last: '$signup_attempts.id' }, { $literal: attempt }] };
  return replaceOtp(db.users, { _id, ...UNVERIFIED, $expr: isNewest }, mail, { attempt });
};

/** The only signup of an address is that of whoever asks for its code. */
const resendWarning = (user: User) => (isOnlySignup(user) ? 'none' : 'repeatedSignup');
