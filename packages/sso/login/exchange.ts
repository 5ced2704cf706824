import { catalogueTokenOf } from '@gatehouse/shared/contract/catalogue-login';
import { exchangeContract } from '@gatehouse/shared/contract/sso-exchange';
import { hasEnded } from '@gatehouse/shared/identity/sessions';
import { startOf } from '@gatehouse/shared/identity/tokens';
import { isActive } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import { loginOperation, type SsoOptions } from '../dependencies.ts';
import { digest } from '../digest.ts';
import { SsoRefusal } from '../refusal.ts';
import { withSocialTexts } from '../social/refusal.ts';
import { browserOf } from './flow.ts';
import { requireLinked } from './require-linked.ts';
import { restore } from './restore.ts';

/** CONTRACT.md §Single sign-on. */
export const exchange = loginOperation(exchangeContract.line, {
  ...exchangeContract,
  async handle(call) {
    const { db, now, tokens, request, body } = call;
    const browser = browserOf(call, request);
    if (browser === undefined) throw new SsoRefusal('login not begun here', 'the browser sent no cookie');
    const session = await db.ssoSessions.findOneAndUpdate(
      {
        'login_code.digest': digest(body.code),
        'login_code.browser': browser,
        'login_code.expires_at': { $gt: new Date(now()) },
      },
      { $unset: { login_code: true } },
    );
    if (!session) return exchangeSocial(call, browser);
    const { connection_id, user_id, sid, valid_until } = session;
    const [connection, user] = await Promise.all([
      db.ssoConnections.findOne({ connection_id }),
      db.users.findOne({ user_id }),
    ]);
    if (!connection) throw new SsoRefusal('unknown connection');
    request.sso.connection = connection;
    if (!connection.enabled) throw new SsoRefusal('connection disabled');
    if (!user || !isActive(user))
      throw new SsoRefusal('account disabled', `the account ${user_id} is not active`);
    request.sso.email = user.email;
    if (hasEnded(user, { id: sid, beganAt: startOf(sid) }))
      throw new SsoRefusal('login not begun here', 'the session has ended since');
    await requireLinked(call, session);
    const left = ((valid_until?.getTime() ?? Number.POSITIVE_INFINITY) - now()) / 1000;
    const lifetime = Math.min(tokens.lifetime.catalogue, Math.floor(left));
    if (lifetime <= 0) throw new SsoRefusal('login not begun here', 'the session has ended since');
    await restore(call, request, user);
    const token = tokens.session({ email: user.email, user_id }, now(), { lifetime, sid, sso: true });
    return catalogueTokenOf({ token, lifetime, user_id });
  },
});

/** Exchanges the code of a login at a provider of social login. */
async function exchangeSocial(
  { db, now, social, request, body }: SsoOptions & { request: FastifyRequest; body: { code: string } },
  browser: string,
) {
  const code = await db.socialCodes.findOneAndDelete({
    digest: digest(body.code),
    browser,
    expires_at: { $gt: new Date(now()) },
  });
  if (!code)
    throw new SsoRefusal('login not begun here', 'the code is unknown, used, expired or another browser’s');
  request.sso.provider = code.provider;
  return withSocialTexts(() => social.openSession(request, code));
}
