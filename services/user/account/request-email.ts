import { randomInt, randomUUID } from 'node:crypto';
import { requestEmailContract } from '@gatehouse/shared/contract/credentials';
import { orTakeBack } from '@gatehouse/shared/data/sliding-budget';
import { AppError } from '@gatehouse/shared/http/errors';
import { emailKey } from '@gatehouse/shared/identity/email';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { isLive } from '@gatehouse/shared/identity/sessions';
import { ACTIVE, findUserByEmail } from '@gatehouse/shared/identity/users';
import { codeMailFlows } from '../mail/queue.ts';
import { isOnlySignedUp } from './change-address.ts';
import { requireUnmanaged } from './managed-address.ts';
import { spendAddressMail } from './network-budgets.ts';
import { operation } from './operation.ts';
import { requireLiveSession } from './own-session.ts';

/** Minutes. */
const VALIDITY = 15;

/** CONTRACT.md §E-mail. */
export const requestEmail = operation(requestEmailContract.line, {
  ...requestEmailContract,
  async handle({ config, db, mailer, now, wakeNotices, request, caller: user_id, body: { email }, audit }) {
    const { user, session } = principalOf(request);
    const { _id } = user;
    if (emailKey(email) === emailKey(user.email))
      throw new AppError('invalidFormat', { text: 'email must be another address than the current one' });
    await requireUnmanaged(db, user_id, [user.email, email]);
    const spending = { config, db, ip: request.ip, now: now() };
    const takeBack = await spendAddressMail(spending, _id.toHexString(), email);

    const code = String(randomInt(1_000_000)).padStart(6, '0');
    const expires_at = new Date(now() + VALIDITY * 60_000);
    const write = async () => {
      const { matchedCount } = await db.users.updateOne(
        { _id, user_id, email: user.email, ...ACTIVE, ...isLive(session) },
        withNotice(
          { $set: { email_change: { id: randomUUID(), email, code, expires_at, wrong_guesses: 0 } } },
          newNotice({
            kind: 'email_change_requested',
            to: user.email,
            at: now(),
            request,
            details: { email },
          }),
        ),
      );
      if (matchedCount === 1) return;
      await requireLiveSession(db.users, request);
      throw new AppError('unavailable');
    };
    await orTakeBack(takeBack, write);
    wakeNotices();
    await audit('email.request', { before: { email: user.email }, after: { email } });

    const flows = codeMailFlows(request, email);
    // The answer is the same: whether an address has an account is told to its mailbox alone.
    const known = await findUserByEmail(db.users, email);
    if (known && !isOnlySignedUp(known)) await mailer.sendAddressTaken(known, flows);
    else await mailer.sendAddressCode({ ...user, email }, { code, minutes: VALIDITY }, flows);
  },
});
