import { randomUUIDv7 } from 'node:crypto';
import { requestLoginCode } from '@gatehouse/shared/contract/login-code';
import { orTakeBack } from '@gatehouse/shared/data/sliding-budget';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { auditAttempt } from '@gatehouse/shared/identity/audit-refusal';
import { LOGIN_CODE_LIFETIME } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import type { Call } from '@gatehouse/shared/operation/operation';
import { afterResponse } from '../../after-response.ts';
import { codeMailFlows } from '../../mail/queue.ts';
import { spendLoginCodeMail } from '../network-budgets.ts';
import { issueLoginCode } from './code.ts';
import { formOperation, type LoginCodeDependencies, operation } from './operation.ts';

type Request = Call<LoginCodeDependencies, string, { email: string }>;

/** CONTRACT.md §Login by a mailed code. */
export const requestCode = operation(requestLoginCode.catalogue.line, {
  ...requestLoginCode.catalogue,
  audits: ['login.code'],
  handle: request,
});

/** CONTRACT.md §Login by a mailed code. */
export const requestCodeDirect = formOperation(requestLoginCode.direct.line, {
  ...requestLoginCode.direct,
  audits: ['login.code'],
  handle: request,
});

/** Everything that depends on the account follows the response: neither its content nor its time reveals one. */
async function request(call: Request) {
  const { config, db, tokens, now, request, body } = call;
  const { email } = body;
  const attempt = randomUUIDv7();
  const takeBack = await spendLoginCodeMail({ config, db, ip: request.ip, now: now() }, { email, attempt });
  const code = await orTakeBack(takeBack, () => issueLoginCode(call, { email, attempt, now: now() }));
  const token = tokens.loginCode({ email, attempt }, now());
  afterResponse(request, () => mailCode(call, { code, token }));
  return { token, expires_in: LOGIN_CODE_LIFETIME };
}

/** Mails the code to an account that may log in with it. Audits the request. */
async function mailCode(
  { db, mailer, now, request, body }: Request,
  login: { code: string; token: string },
): Promise<void> {
  const user = await findUserByEmail(db.users, body.email);
  let outcome = refusalOf(user);
  if (user && outcome === undefined) {
    const flows = codeMailFlows(request, user.email);
    const mail = { ...login, minutes: LOGIN_CODE_LIFETIME / 60 };
    await mailer.sendLoginCode(user, mail, flows).catch((error) => {
      request.log.error({ err: error }, 'login code not mailed');
      outcome = toAppError(error).message;
    });
  }
  const { email } = body;
  await auditAttempt(db, request, now(), {
    action: 'login.code',
    outcome: outcome ?? 'success',
    user,
    email,
  });
}

/** Why an account gets no code. A stranger may have signed up an address that was never verified. */
function refusalOf(user: User | null): string | undefined {
  if (!user) return 'unknown account';
  if (user.account_status === 'disabled') return 'account disabled';
  return user.verified ? undefined : 'not verified';
}
