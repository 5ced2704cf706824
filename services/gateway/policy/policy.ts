import { tierOf, UNLIMITED } from '@gatehouse/shared/access/tiers';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import { contractOfRequest } from '@gatehouse/shared/http/response-headers';
import { noteUse, requireKeyPermission, requireNetwork } from '@gatehouse/shared/identity/machine-keys/admit';
import { isPublic } from '@gatehouse/shared/identity/principal';
import { refuseInSupportSession } from '@gatehouse/shared/identity/support-sessions';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Database } from '../database.ts';
import { isCanonical } from './canonical-path.ts';
import { type Counters, closest, networkUses, rateLimited, type Use, type Window } from './counters.ts';
import type { Principals } from './principals.ts';
import { type Reservation, reserve } from './reservation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether a call without a session costs budget only if its answer is 401 or its body is too large. */
    countsRefusals?: boolean;
    /** Whether an account without a user_id may call. The service checks the exact operation. */
    withoutUserId?: boolean;
  }
  interface FastifyRequest {
    /** The caller's budget after this call; undefined for a call that is not metered. */
    budget: Reservation | undefined;
  }
}

/** The budget of a user under /v2/ (CONTRACT.md §Rate tiers). */
const FLAT: readonly Window[] = [{ seconds: 60, limit: 100 }];

/**
 * Calls of one session that delete sessions or its account. Each is audited, so without a limit a client could fill the audit; nothing
 * else spends it, and no other session.
 */
const DELETIONS: readonly Window[] = [{ seconds: 60, limit: 60 }];

interface Options {
  config: Pick<GatewayConfig, 'RATE_LIMIT' | 'RATE_LIMIT_ANONYMOUS_PER_MINUTE' | 'RATE_LIMIT_V2_PER_MINUTE'>;
  counters: Counters;
  principals: Principals;
  machineKeys: Database['machineKeys'];
  now: () => number;
}

/** What applies to every call (CONTRACT.md §Gateway): budget, path, bearer, and the X-RateLimit headers. */
export const policy = fp(
  async (app: FastifyInstance, { config, counters, principals, machineKeys, now }: Options) => {
    app.decorateRequest('principal', undefined);
    app.decorateRequest('budget', undefined);
    app.decorateRequest('isOversized', false);
    const anonymous: readonly Window[] = [{ seconds: 60, limit: config.RATE_LIMIT_ANONYMOUS_PER_MINUTE }];
    const direct: readonly Window[] = [{ seconds: 60, limit: config.RATE_LIMIT_V2_PER_MINUTE }];

    const usesOf = (request: FastifyRequest): Use[] => {
      const { principal, ip } = request;
      if (!principal) return networkUses('address:', ip, anonymous);
      const key = `user:${principal.user._id.toHexString()}`;
      // These operations are public: each further bearer would give the client another budget for them.
      if (contractOfRequest(request) === 'direct')
        return [{ key: `${key}:v2`, windows: FLAT }, ...networkUses('address-v2:', ip, direct)];
      const windows = tierOf(principal.user.subscription_plan);
      return windows.length > 0 ? [{ key, windows }] : [];
    };
    const unlimited = { limit: UNLIMITED, remaining: UNLIMITED, resetMs: 60_000, exceeded: false };
    const unmetered = async () => {};
    const peek = async (request: FastifyRequest): Promise<Reservation> => {
      const budgets = await Promise.all(
        usesOf(request).map(({ key, windows }) => counters.peek(key, windows)),
      );
      return { ...(budgets.length > 0 ? closest(budgets) : unlimited), settle: unmetered };
    };
    const spend = (request: FastifyRequest): Promise<Reservation> => {
      const uses = usesOf(request);
      return uses.length > 0 ? reserve(counters, uses) : peek(request);
    };

    app.addHook('onRequest', async (request) => {
      if (request.routeOptions.config?.unmetered) return;
      let refusal: unknown;
      try {
        if (request.cookieSession === 'foreign') throw new AppError('foreignOrigin');
        const principal = await principals.of(request.headers.authorization);
        // No login puts one into a cookie, where it would take the place of the operator's own session.
        if (request.cookieSession && principal.session.support) throw new AppError('invalidToken');
        // A remembered principal may be presented from another network.
        if (principal.key) requireNetwork(principal, request);
        request.principal = principal;
      } catch (error) {
        refusal = error;
      }
      const { operation, withoutUserId } = request.routeOptions.config ?? {};
      // A refused logout would leave a session open that its owner believes to have ended.
      const isMetered = config.RATE_LIMIT && !operation?.passesBudget;
      const budget = await (isMetered ? spend : peek)(request);
      request.budget = budget;
      if (isMetered && budget.exceeded) throw rateLimited(budget);
      if (config.RATE_LIMIT && request.principal && operation?.passesBudget && request.method === 'DELETE') {
        const key = `deletions:${request.principal.session.id}`;
        const deletions = await reserve(counters, [{ key, windows: DELETIONS }]);
        if (deletions.exceeded) {
          request.budget = deletions;
          throw rateLimited(deletions);
        }
      }
      if (!isCanonical(request.url)) throw new AppError('notFound');
      if (refusal && (!isPublic(request) || !(refusal instanceof AppError))) throw refusal;
      const { principal } = request;
      if (principal?.key && !isPublic(request)) {
        requireKeyPermission(request, principal);
        await noteUse(machineKeys, principal, now());
      }
      if (principal && userIdOf(principal.user) === null && !isPublic(request) && !withoutUserId)
        throw new AppError('forbidden');
      // Also where no bearer is needed: a forwarded call says who the caller is.
      if (principal) refuseInSupportSession(request, principal);
    });
    app.addHook('onResponse', async (request, reply) => {
      const { budget, principal, routeOptions, isOversized } = request;
      if (!routeOptions.config?.countsRefusals || principal || !budget || budget.exceeded) return;
      await budget.settle(reply.statusCode === 401 || isOversized);
    });
    app.addHook('onSend', async (request, reply) => {
      const { limit, remaining, resetMs } = request.budget ?? (await peek(request));
      reply.headers({
        'x-ratelimit-limit': limit,
        'x-ratelimit-remaining': remaining,
        'x-ratelimit-reset': Math.ceil((now() + resetMs) / 1000),
      });
      // Set here and not by the services, whose no-store marks what an Idempotency-Key must not store.
      if (request.principal && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
    });
  },
);
