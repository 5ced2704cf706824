import { catalogueToken } from '@gatehouse/shared/contract/catalogue-login';
import { AppError, BEARER_FAILURES, failures } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit, auditedSession } from '@gatehouse/shared/identity/audit';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import { endSession, lastExpiry } from '@gatehouse/shared/identity/sessions';
import { LIFETIME, type Tokens } from '@gatehouse/shared/identity/tokens';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { checkSession } from './check-session.ts';
import type { Database } from './database.ts';

interface Options {
  config: { SESSION_MAX_HOURS: number; USER_SERVICE_URL: string };
  db: Database;
  tokens: Tokens;
  now: () => number;
}

const errorResponses = failures('catalogue', 'invalidFormat', ...BEARER_FAILURES);

/** POST /auth/refresh and /auth/logout, each also under /api/v1 (CONTRACT.md §Sessions). */
export const session: FastifyPluginAsyncZod<Options> = async (app, { config, db, tokens, now }) => {
  const maxAge = config.SESSION_MAX_HOURS * 3_600_000;

  for (const prefix of ['/auth', '/api/v1/auth']) {
    app.post(
      `${prefix}/refresh`,
      {
        config: { permission: 'own' },
        schema: {
          tags: ['session'],
          summary: 'Extend a session',
          description:
            'Returns a token of the same session that is valid for one hour, or until the session reaches its maximum age. A session that began at an identity provider goes on if the provider says so.',
          security: [{ bearer: [] }],
          response: { 200: catalogueToken, ...errorResponses },
        },
      },
      async (request, reply) => {
        const { user, session: current } = principalOf(request);
        const lastExp = Math.floor((current.beganAt + maxAge) / 1000);
        const left = (until: number) => Math.min(LIFETIME.catalogue, until - Math.floor(now() / 1000));
        if (left(lastExp) <= 0) throw new AppError('tokenExpired');
        const check = current.sso && (await checkSession(config, request));
        const expires_in = left(Math.min(lastExp, check?.until ?? lastExp));
        if (expires_in <= 0) throw new AppError('tokenExpired');
        const user_id = userIdOf(user);
        // Keep the start time, so that whatever ends the old session also ends the new one.
        const sid = current.hasId ? current.id : newSessionId(Math.min(current.beganAt, now()));
        await audit(db, request, now(), {
          action: 'refresh',
          session: auditedSession(request, sid, expires_in, now()),
          ...(check?.grace && {
            organization_id: check.organization_id,
            target: { connection_id: check.connection_id },
            after: { grace: 'provider unavailable' },
          }),
        });
        reply.header('cache-control', 'no-store');
        return {
          access_token: tokens.session({ email: user.email, user_id }, now(), {
            lifetime: expires_in,
            sid,
            sso: current.sso === true,
          }),
          token_type: 'Bearer' as const,
          expires_in,
          user_id,
        };
      },
    );

    app.post(
      `${prefix}/logout`,
      {
        config: { permission: 'own' },
        schema: {
          tags: ['session'],
          summary: 'End a session',
          description: 'Refuses every token of the session from now on.',
          security: [{ bearer: [] }],
          response: {
            200: messageResponse('Logged out', 'The session has ended.'),
            ...errorResponses,
          },
        },
      },
      async (request) => {
        const { user, session: current, expiresAt } = principalOf(request);
        const until = lastExpiry(current, { expiresAt, maxAge, now: now() });
        await endSession(db.users, user._id, current, until, now());
        await audit(db, request, now(), { action: 'logout' });
        return { message: 'Logged out' as const };
      },
    );
  }
};
