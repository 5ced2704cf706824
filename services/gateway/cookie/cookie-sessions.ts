import type { GatewayConfig } from '@gatehouse/shared/config';
import { deleteAccountContract, logoutContracts } from '@gatehouse/shared/contract/sessions';
import { AppError } from '@gatehouse/shared/http/errors';
import { isPublic } from '@gatehouse/shared/identity/principal';
import type { Tokens } from '@gatehouse/shared/identity/tokens';
import type { Facts } from '@gatehouse/shared/operation/operation';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { isOwnPage } from './own-page.ts';
import { CLEARED_COOKIE, takeSessionCookie } from './session-cookie.ts';
import { withoutToken } from './without-token.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * How a call uses the session cookie: as its bearer; or not at all, because a page of another origin made it. Undefined
     * for every call with an Authorization header.
     */
    cookieSession: 'bearer' | 'foreign' | undefined;
  }
}

interface Options {
  config: Pick<GatewayConfig, 'PUBLIC_URL' | 'COOKIE_ORIGINS'>;
  tokens: Tokens;
  /** Returns Unix milliseconds. */
  now: () => number;
}

/** Operations that end the session of the call. */
const ENDING: ReadonlySet<Facts | undefined> = new Set([...logoutContracts, deleteAccountContract]);

/**
 * Sessions in a cookie (CONTRACT.md §Cookie sessions). The cookie of a call becomes its Authorization header before the
 * policy runs, so nothing else in the gateway or behind it knows the difference.
 */
export const cookieSessions = fp(async (app: FastifyInstance, { config, tokens, now }: Options) => {
  const origins = new Set([new URL(config.PUBLIC_URL).origin, ...config.COOKIE_ORIGINS]);
  app.decorateRequest('cookieSession', undefined);

  app.addHook('onRequest', (request, reply, done) => {
    const { headers } = request;
    if (headers.cookie === undefined) return done();
    const token = takeSessionCookie(headers);
    if (token === undefined || headers.authorization !== undefined) return done();
    if (isOwnPage(request, origins)) {
      request.cookieSession = 'bearer';
      headers.authorization = `Bearer ${token}`;
    } else if (!isPublic(request)) {
      request.cookieSession = 'foreign';
      hideFromScripts(reply);
    }
    done();
  });

  app.addHook('onSend', (request, reply, _payload, done) => {
    if (request.cookieSession && !isPublic(request)) {
      // Shared caches keep answers to an Authorization header apart, but know nothing of this cookie.
      reply.header('cache-control', 'no-store');
      const isRefused = reply.statusCode === 401 && !request.principal;
      const hasEnded = reply.statusCode < 300 && ENDING.has(request.routeOptions.config.operation);
      if (isRefused || hasEnded) reply.header('set-cookie', CLEARED_COOKIE);
    }
    done();
  });

  app.addHook('onRoute', (route) => {
    const { operation } = route.config ?? {};
    if (operation?.returnsSecret !== 'session') return;
    // After the policy, which counts the call, and before the body is read.
    route.preParsing = (request: FastifyRequest, reply: FastifyReply, payload, done) => {
      const mode = request.headers['x-session-mode'];
      if (mode === undefined) return done(null, payload);
      if (mode !== 'cookie')
        return done(new AppError('invalidFormat', { text: 'X-Session-Mode must be cookie' }));
      if (isOwnPage(request, origins)) return done(null, payload);
      // Otherwise a page of another origin could log the person in as somebody else.
      hideFromScripts(reply);
      done(new AppError('foreignOrigin'));
    };
    route.onSend = async (request: FastifyRequest, reply: FastifyReply, payload: unknown) => {
      const isAsked = request.headers['x-session-mode'] !== undefined;
      const isByCookie = request.cookieSession === 'bearer' && !isPublic(request);
      if (reply.statusCode !== 200 || !(isAsked || isByCookie)) return payload;
      const { cookie, body } = await withoutToken(payload, { operation, tokens, now: now() });
      reply.headers({ 'set-cookie': cookie, 'cache-control': 'no-store' }).removeHeader('content-length');
      return body;
    };
  });
});

/** No script of another origin reads what is answered to a call with the session cookie. */
const hideFromScripts = (reply: FastifyReply): void => {
  reply.removeHeader('access-control-allow-origin').removeHeader('access-control-allow-credentials');
};
