import type { GatewayConfig } from '@gatehouse/shared/config';
import { PREFIXES, type Prefix } from '@gatehouse/shared/contract/prefixes';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { type CaptchaGate, createCaptchaGate } from './captcha/gate.ts';
import type { Database } from './database.ts';
import type { Limits } from './limits.ts';
import { createAuditRefusals } from './policy/audit-refusals.ts';
import { createCodeThrottle, createFactorThrottle, createPasskeyThrottle } from './policy/code-throttle.ts';
import type { Counters } from './policy/counters.ts';
import { createCounters } from './policy/counters-fallback.ts';
import { createRedis } from './policy/counters-redis.ts';
import { createLoginThrottle } from './policy/login-throttle.ts';
import { createPrincipals } from './policy/principals.ts';
import { createIdempotency } from './proxy/idempotency.ts';
import { createUpstream, type Upstream } from './proxy/upstreams.ts';

interface Options {
  config: GatewayConfig;
  db: Database;
  counters: Counters | undefined;
  captcha: CaptchaGate | undefined;
  limits: Limits;
  /** Returns Unix milliseconds. */
  now: () => number;
}

/** What the operations of the gateway need. */
export async function createDependencies({ config, db, counters: injected, captcha, limits, now }: Options) {
  const { REDIS_URL } = config;
  const redis = REDIS_URL === undefined ? undefined : await createRedis(REDIS_URL, limits.redis);
  const counters = injected ?? createCounters(redis, now);
  const loginService = createUpstream(config.LOGIN_SERVICE_URL, limits.services);
  const userService = createUpstream(config.USER_SERVICE_URL, limits.services);
  const upstreamOf = (prefix: Prefix): Upstream | undefined => {
    const servedBy = PREFIXES[prefix];
    if (servedBy === 'login') return loginService;
    if (servedBy === 'user') return userService;
    const url = config[servedBy];
    if (url !== undefined) return createUpstream(url, limits.platform);
    return prefix === '/api/v1/chatbots' || prefix === '/api/v1/admin' ? userService : undefined;
  };
  /** What serves each prefix; undefined for a platform service that is not configured. */
  const upstreams = Object.fromEntries(
    (Object.keys(PREFIXES) as Prefix[]).map((prefix) => [prefix, upstreamOf(prefix)]),
  ) as Record<Prefix, Upstream | undefined>;
  const tokens = createTokens(config);
  return {
    config,
    db,
    now,
    tokens,
    redis,
    counters,
    captcha: captcha ?? createCaptchaGate(config, db, limits.captcha),
    throttle: createLoginThrottle(counters),
    codeThrottle: createCodeThrottle(counters),
    factorThrottle: createFactorThrottle(counters),
    passkeyThrottle: createPasskeyThrottle(counters),
    auditRefusals: createAuditRefusals(db, now),
    principals: createPrincipals(config, { db, tokens, now }),
    idempotency: createIdempotency(config, db, now),
    loginService,
    userService,
    upstreams,
    async close() {
      const all = new Set([loginService, userService, ...Object.values(upstreams)]);
      await Promise.all([...all].map((upstream) => upstream?.close()));
      redis?.disconnect();
    },
  };
}

export type GatewayDependencies = Awaited<ReturnType<typeof createDependencies>>;
