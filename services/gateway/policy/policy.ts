import { AppError, contractOf } from '@gatehouse/shared/http/errors';
import { isPublic } from '@gatehouse/shared/identity/principal';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { addressKey } from './address.ts';
import { isCanonical } from './canonical-path.ts';
import { type Budget, type Counters, exceeded, type Window } from './counters.ts';
import type { Principals } from './principals.ts';
import { tierOf, UNLIMITED } from './tiers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What this call has left of its budget, when it spent of one. */
    budget: Budget | undefined;
  }
}

/** spec §Limits: the flat budget of a user under /v2. */
const FLAT: readonly Window[] = [{ seconds: 60, limit: 100 }];

/** Where an account that never got a user_id may go: its session and its profile. Its services judge the rest. */
const WITHOUT_USER_ID = /^\/(?:auth|api\/v1\/auth|api\/v1\/users)(?:[/?]|$)/;

interface Options {
  config: { RATE_LIMIT: boolean; RATE_LIMIT_ANONYMOUS_PER_MINUTE: number };
  counters: Counters;
  principals: Principals;
  now: () => number;
}

/**
 * What holds for every call at the gateway, in this order: who is calling; his budget, by user or, without a valid
 * token, by address; 404 for a path with a second spelling; 401 where a bearer is needed;
 * 403 for an account without an id to act by. Three headers tell every caller his budget.
 */
export const policy = fp(async (app: FastifyInstance, { config, counters, principals, now }: Options) => {
  app.decorateRequest('principal', undefined);
  app.decorateRequest('budget', undefined);
  const anonymous: readonly Window[] = [{ seconds: 60, limit: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE }];

  const budgetOf = ({ principal, ip, url }: FastifyRequest) => {
    if (!principal) return { key: `address:${addressKey(ip)}`, windows: anonymous };
    const key = `user:${principal.user._id.toHexString()}`;
    return contractOf(url) === 'direct'
      ? { key: `${key}:v2`, windows: FLAT }
      : { key, windows: tierOf(principal.user.subscription_plan) };
  };
  const count = async (request: FastifyRequest, how: 'spend' | 'peek'): Promise<Budget> => {
    const { key, windows } = budgetOf(request);
    if (windows.length > 0) return counters[how](key, windows);
    return { limit: UNLIMITED, remaining: UNLIMITED, resetMs: 60_000, exceeded: false };
  };

  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config?.unmetered) return;
    const refusal = await principals.of(request.headers.authorization).then(
      (principal) => {
        request.principal = principal;
      },
      (error: unknown) => error,
    );
    const budget = await count(request, config.RATE_LIMIT ? 'spend' : 'peek');
    request.budget = budget;
    if (budget.exceeded) throw exceeded(budget);
    if (!isCanonical(request.url)) throw new AppError('notFound');
    if (refusal && (!isPublic(request) || !(refusal instanceof AppError))) throw refusal;
    const { principal } = request;
    if (principal && userIdOf(principal.user) === null && !isPublic(request)) {
      if (!WITHOUT_USER_ID.test(request.url)) throw new AppError('forbidden');
    }
  });
  app.addHook('onSend', async (request, reply) => {
    const { limit, remaining, resetMs } = request.budget ?? (await count(request, 'peek'));
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': Math.ceil((now() + resetMs) / 1000),
    });
  });
});
