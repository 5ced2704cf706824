import { catalogueTokenOf } from '@gatehouse/shared/contract/catalogue-login';
import { audit } from '@gatehouse/shared/identity/audit';
import { beginSession } from '@gatehouse/shared/identity/begin-session';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { halfLogin, secondFactorRequired } from '@gatehouse/shared/identity/half-login';
import { auditedWay } from '@gatehouse/shared/identity/login-ways';
import { hasEnded } from '@gatehouse/shared/identity/sessions';
import { requiresSso } from '@gatehouse/shared/identity/sso';
import type { SocialCode } from '@gatehouse/sso/records';
import { SsoRefusal } from '@gatehouse/sso/refusal';
import type { FastifyRequest } from 'fastify';
import { requireOpen } from './log-in.ts';
import type { LinkOptions } from './options.ts';

/**
 * Begins the session of a login at a provider. Every check of the account is repeated, because the code may be a minute
 * old.
 * @throws {SsoRefusal} when the account has changed, {AppError} secondFactorRequired for an enrolled one.
 */
export async function openSession(
  { db, tokens, now }: LinkOptions,
  request: FastifyRequest,
  { user_id, link, began }: SocialCode,
) {
  const found = await db.users.findOne({ user_id });
  if (!found) throw new SsoRefusal('account disabled', `the account ${user_id} no longer exists`);
  request.sso.email = found.email;
  const user = requireOpen(found);
  if (!user.links?.includes(link) || hasEnded(user, { id: '', beganAt: began }))
    throw new SsoRefusal('login not begun here', 'the link or the session has ended since');
  if (await requiresSso(db, user, now())) throw new SsoRefusal('single sign-on required');
  if (isEnrolled(user, now())) {
    await audit(db, request, now(), {
      action: 'login',
      outcome: 'second factor required',
      user_id,
      email: user.email,
      ...auditedWay('social'),
    });
    throw secondFactorRequired(tokens.factor(halfLogin(user, began, 'social'), now()), user);
  }
  const session = { began, contract: 'catalogue', way: 'social' } as const;
  return catalogueTokenOf(await beginSession({ db, tokens, now, request }, user, session));
}
