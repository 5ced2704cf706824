import { catalogueToken } from '@gatehouse/shared/contract/catalogue-login';
import { LOGIN_BODY } from '@gatehouse/shared/http/body-limits';
import { failures } from '@gatehouse/shared/http/errors';
import { jsonBody, requiredText } from '@gatehouse/shared/http/fields';
import { startOf } from '@gatehouse/shared/identity/session-id';
import { hasEnded } from '@gatehouse/shared/identity/sessions';
import { LIFETIME } from '@gatehouse/shared/identity/tokens';
import { isActive } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { SsoOptions } from '../options.ts';
import { SsoRefusal } from '../refusal.ts';
import { CODE_LIFETIME } from './finish.ts';
import { browserOf, digest } from './flow.ts';
import { refusedLogins } from './refused-logins.ts';
import { requireLinked } from './require-linked.ts';

const schema = {
  tags: ['single sign-on'],
  summary: 'Exchange the code of a finished login',
  description: `Returns a token that is valid for one hour. The code comes from the fragment of the account page’s address. It is valid for ${CODE_LIFETIME} seconds, once, and only with the cookie of the browser that began the login.`,
  body: jsonBody({ code: requiredText }).meta({
    examples: [{ code: 'ZmlmdHktdHdvIHJhbmRvbSBieXRlcyBpbiBiYXNlNjQ' }],
  }),
  response: {
    200: catalogueToken,
    ...failures('catalogue', 'missingField', 'invalidFormat', 'forbidden', 'rateLimited', 'unavailable'),
  },
};

/** POST /api/v1/auth/sso/exchange (CONTRACT.md §Single sign-on). */
export const exchange: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const { db, now, tokens } = options;
  await app.register(refusedLogins, options);

  app.post(
    '/api/v1/auth/sso/exchange',
    { schema, config: { public: true }, bodyLimit: LOGIN_BODY },
    async (request, reply) => {
      const browser = browserOf(options, request);
      if (browser === undefined) throw new SsoRefusal('login not begun here', 'the browser sent no cookie');
      const session = await db.ssoSessions.findOneAndUpdate(
        {
          'login_code.digest': digest(request.body.code),
          'login_code.browser': browser,
          'login_code.expires_at': { $gt: new Date(now()) },
        },
        { $unset: { login_code: true } },
      );
      if (!session)
        throw new SsoRefusal(
          'login not begun here',
          'the code is unknown, used, expired or another browser’s',
        );
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
      await requireLinked(options, session);
      const left = ((valid_until?.getTime() ?? Number.POSITIVE_INFINITY) - now()) / 1000;
      const lifetime = Math.min(LIFETIME.catalogue, Math.floor(left));
      if (lifetime <= 0) throw new SsoRefusal('login not begun here', 'the session has ended since');
      reply.header('cache-control', 'no-store');
      return {
        access_token: tokens.session({ email: user.email, user_id }, now(), { lifetime, sid, sso: true }),
        token_type: 'Bearer' as const,
        expires_in: lifetime,
        user_id,
      };
    },
  );
};
