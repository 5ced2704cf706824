import type { GatewayConfig } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/errors';
import type { Tokens } from '@gatehouse/shared/tokens';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { addressKey } from './address.ts';
import type { Budget, Counters } from './counters.ts';

/** spec §Limits: the flat budget of a user under /v2, a minute. */
const USER_PER_MINUTE = 100;

declare module 'fastify' {
  interface FastifyRequest {
    /** What this call has left of its budget, when it spent of one. */
    budget?: Budget | undefined;
  }
}

interface Options {
  config: Pick<GatewayConfig, 'RATE_LIMIT' | 'RATE_LIMIT_ANONYMOUS_PER_MINUTE'>;
  counters: Counters;
  tokens: Tokens;
  now: () => number;
}

/**
 * Counts every call against its budget and says so in three headers: calls with a valid token by user,
 * the others by address. Routes marked `unmetered` (health, documents) show the budget and spend nothing.
 */
export const rateLimit = fp(async (app: FastifyInstance, { config, counters, tokens, now }: Options) => {
  app.decorateRequest('budget');
  const byAddress = counters('anonymous', { points: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE, duration: 60 });
  const byUser = counters('user', { points: USER_PER_MINUTE, duration: 60 });

  const budgetOf = (request: FastifyRequest) => {
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const session = bearer === undefined ? undefined : tokens.verify(bearer, now());
    return session?.ok
      ? { counter: byUser, key: session.claims.user_id ?? session.claims.email }
      : { counter: byAddress, key: addressKey(request.ip) };
  };

  app.addHook('onRequest', async (request) => {
    if (!config.RATE_LIMIT || request.routeOptions.config?.unmetered) return;
    const { counter, key } = budgetOf(request);
    const budget = await counter.spend(key);
    request.budget = budget;
    if (!budget.exceeded) return;
    throw new AppError('rateLimited', { retryAfter: Math.ceil(budget.resetMs / 1000), limit: budget.limit });
  });
  app.addHook('onSend', async (request, reply) => {
    const { counter, key } = budgetOf(request);
    const { limit, remaining, resetMs } = request.budget ?? (await counter.peek(key));
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': Math.ceil((now() + resetMs) / 1000),
    });
  });
});
