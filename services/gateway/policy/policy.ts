import { addressKey } from '@gatehouse/shared/http/address';
import { AppError, contractOf } from '@gatehouse/shared/http/errors';
import { isPublic } from '@gatehouse/shared/identity/principal';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { isCanonical } from './canonical-path.ts';
import { type Budget, type Counters, rateLimited, type Window } from './counters.ts';
import { endsSession } from './ends-session.ts';
import type { Principals } from './principals.ts';
import { tierOf, UNLIMITED } from './tiers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a call without a session costs budget only if its answer is 401 or its body is too large. */
    countsRefusals?: boolean;
  }
  interface FastifyRequest {
    /** The caller's budget after this call; undefined for a call that is not metered. */
    budget: Budget | undefined;
  }
}

/** The budget of a user under /v2/ (CONTRACT.md §Rate tiers). */
const FLAT: readonly Window[] = [{ seconds: 60, limit: 100 }];

/** Open to an account without a user_id: session and profile. The services check the exact operation. */
const WITHOUT_USER_ID = /^\/(?:auth|api\/v1\/auth|api\/v1\/users)(?:[/?]|$)/;

interface Options {
  config: { RATE_LIMIT: boolean; RATE_LIMIT_ANONYMOUS_PER_MINUTE: number };
  counters: Counters;
  principals: Principals;
  now: () => number;
}

/** What applies to every call (CONTRACT.md §Gateway): budget, path, bearer, and the X-RateLimit headers. */
export const policy = fp(async (app: FastifyInstance, { config, counters, principals, now }: Options) => {
  app.decorateRequest('principal', undefined);
  app.decorateRequest('budget', undefined);
  app.decorateRequest('isOversized', false);
  const anonymous: readonly Window[] = [{ seconds: 60, limit: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE }];

  const budgetKey = ({ principal, ip, url }: FastifyRequest) => {
    if (!principal) return { key: `address:${addressKey(ip)}`, windows: anonymous };
    const key = `user:${principal.user._id.toHexString()}`;
    return contractOf(url) === 'direct'
      ? { key: `${key}:v2`, windows: FLAT }
      : { key, windows: tierOf(principal.user.subscription_plan) };
  };
  const count = async (request: FastifyRequest, operation: 'spend' | 'peek'): Promise<Budget> => {
    const { key, windows } = budgetKey(request);
    if (windows.length > 0) return counters[operation](key, windows);
    return { limit: UNLIMITED, remaining: UNLIMITED, resetMs: 60_000, exceeded: false };
  };

  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config?.unmetered) return;
    const { authorization } = request.headers;
    let refusal: unknown;
    // A public operation would ignore the error for a missing bearer, whose stack trace has a cost.
    if (authorization !== undefined || !isPublic(request)) {
      try {
        request.principal = await principals.of(authorization);
      } catch (error) {
        refusal = error;
      }
    }
    // A refused logout would leave a session open that its owner believes to have ended.
    const isMetered = config.RATE_LIMIT && !endsSession(request);
    const budget = await count(request, isMetered ? 'spend' : 'peek');
    request.budget = budget;
    if (isMetered && budget.exceeded) throw rateLimited(budget);
    if (!isCanonical(request.url)) throw new AppError('notFound');
    if (refusal && (!isPublic(request) || !(refusal instanceof AppError))) throw refusal;
    const { principal } = request;
    if (principal && userIdOf(principal.user) === null && !isPublic(request)) {
      if (!WITHOUT_USER_ID.test(request.url)) throw new AppError('forbidden');
    }
  });
  app.addHook('onResponse', async (request, reply) => {
    const { budget, principal, routeOptions, isOversized } = request;
    if (!routeOptions.config?.countsRefusals || principal || !budget || budget.exceeded) return;
    const { key, windows } = budgetKey(request);
    if (config.RATE_LIMIT && reply.statusCode !== 401 && !isOversized) await counters.refund(key, windows);
  });
  app.addHook('onSend', async (request, reply) => {
    const { limit, remaining, resetMs } = request.budget ?? (await count(request, 'peek'));
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': Math.ceil((now() + resetMs) / 1000),
    });
    // Set here and not by the services, whose no-store marks what an Idempotency-Key must not store.
    if (request.principal && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
});
