import { timingSafeEqual } from 'node:crypto';
import { catalogueTokenOf } from '@gatehouse/shared/contract/catalogue-login';
import { verifyEmailContract } from '@gatehouse/shared/contract/credentials';
import { AppError } from '@gatehouse/shared/http/errors';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { endingOthers, isLive } from '@gatehouse/shared/identity/sessions';
import { EMAIL_UNDO_LIFETIME } from '@gatehouse/shared/identity/tokens';
import type { EmailChange, User } from '@gatehouse/shared/identity/user-record';
import { ACTIVE } from '@gatehouse/shared/identity/users';
import type { Collection, ObjectId } from 'mongodb';
import { changeAddress } from './change-address.ts';
import { followChangedAddress } from './follow-changed-address.ts';
import { requireUnmanaged } from './managed-address.ts';
import { operation } from './operation.ts';
import { requireLiveSession } from './own-session.ts';

/** Wrong guesses that kill a code. */
const GUESSES = 5;

/** CONTRACT.md §E-mail. */
export const verifyEmail = operation(verifyEmailContract.line, {
  ...verifyEmailContract,
  async handle({ db, tokens, now, wakeNotices, request, caller: user_id, body: { code }, audit }) {
    const { user, session, confirmedAt, expiresAt } = principalOf(request);
    const { _id, email: former } = user;
    const change = user.email_change;
    if (!change || change.expires_at.getTime() <= now() || !isSame(change.code, code.replaceAll(/\s/g, ''))) {
      if (change) await countGuess(db.users, _id, change);
      const refusal = new AppError('otpInvalidOrExpired');
      await audit('email.change', { outcome: refusal.message });
      throw refusal;
    }
    const { id, email } = change;
    await requireUnmanaged(db, user_id, [former, email]);

    const at = new Date(now());
    const undo = tokens.emailUndo({ account: _id.toHexString(), change: id }, now());
    const { $set, $max } = endingOthers(session, now());
    const changed = await changeAddress(
      db,
      { ...user, user_id },
      { ...isOpen(change), ...ACTIVE, ...isLive(session) },
      { email, at },
      withNotice(
        {
          $set: { ...$set, address_changed: { at, accepts: true } },
          $max,
          $push: {
            email_undos: { id, email: former, until: new Date(at.getTime() + EMAIL_UNDO_LIFETIME * 1000) },
          },
        },
        newNotice({ kind: 'email_changed', to: former, at: now(), request, details: { email, undo } }),
      ),
    );
    if (changed === 'taken') throw new AppError('duplicate', { text: 'Another account has this address' });
    if (!changed) {
      await requireLiveSession(db.users, request);
      throw new AppError('otpInvalidOrExpired');
    }
    wakeNotices();
    await audit('email.change', { email, before: { email: former }, after: { email } });
    await followChangedAddress(db, changed, now(), request).catch((error) => {
      // The caller needs the token. The next start of a service completes this.
      request.log.error({ err: error, user_id }, 'a changed address is not followed yet');
    });

    const lifetime = Math.floor(expiresAt / 1000) - Math.floor(now() / 1000);
    const { id: sid, sso = false, mfa = false } = session;
    const token = tokens.session({ email, user_id }, now(), {
      lifetime,
      sid,
      sso,
      mfa,
      // The sid holds the time of the login.
      ...(confirmedAt !== session.beganAt && { confirmedAt }),
    });
    return catalogueTokenOf({ token, lifetime, user_id });
  },
});

/**
 * Matches an account whose change waits for its code. The write that uses the code has this in its filter, and so has the
 * one that counts a wrong guess: of parallel guesses, none succeeds beyond the limit.
 */
const isOpen = ({ id }: EmailChange) => ({
  'email_change.id': id,
  'email_change.wrong_guesses': { $lt: GUESSES },
});

const countGuess = (users: Collection<User>, _id: ObjectId, change: EmailChange) =>
  users.updateOne({ _id, ...isOpen(change) }, { $inc: { 'email_change.wrong_guesses': 1 } });

const isSame = (code: string, guess: string): boolean =>
  /^\d{6}$/.test(guess) && timingSafeEqual(Buffer.from(code), Buffer.from(guess));
