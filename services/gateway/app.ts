import { pages } from '@gatehouse/account-pages';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { PREFIXES, type Prefix } from '@gatehouse/shared/contract/prefixes';
import { createServer } from '@gatehouse/shared/http/server';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import { createCaptchaGate } from './captcha/gate.ts';
import type { Database } from './database.ts';
import { documentOf } from './document.ts';
import { LIMITS, type Limits } from './limits.ts';
import { apiVersion, DEPRECATIONS, type Deprecation } from './policy/api-version.ts';
import { createAuditRefusals } from './policy/audit-refusals.ts';
import { createCodeThrottle } from './policy/code-throttle.ts';
import type { Counters } from './policy/counters.ts';
import { createCounters } from './policy/counters-fallback.ts';
import { createRedis } from './policy/counters-redis.ts';
import { createLoginThrottle } from './policy/login-throttle.ts';
import { policy } from './policy/policy.ts';
import { createPrincipals } from './policy/principals.ts';
import { strictTransport } from './policy/strict-transport.ts';
import { bodyTimeout } from './proxy/body-timeout.ts';
import { createIdempotency } from './proxy/idempotency.ts';
import { createUpstream, type Upstream } from './proxy/upstreams.ts';
import { altchaChallenge } from './routes/captcha-challenge.ts';
import { OPERATIONS } from './routes/operations.ts';
import { prefixes } from './routes/prefixes.ts';

export interface GatewayOptions {
  config: GatewayConfig;
  db: Database;
  deprecations?: readonly Deprecation[];
  /** A test injects counters that it can read and spend. */
  counters?: Counters;
  /** A test injects short time limits. */
  limits?: Partial<Limits>;
  /** Unix milliseconds; a test sets its own clock. */
  now?: () => number;
  logStream?: { write(line: string): void };
}

export async function buildGateway({
  config,
  db,
  deprecations = DEPRECATIONS,
  counters: injected,
  limits: overrides,
  now = Date.now,
  logStream,
}: GatewayOptions) {
  const limits = { ...LIMITS, ...overrides };
  const tokens = createTokens(config);
  const principals = createPrincipals(config, { users: db.users, tokens, now });
  const redis =
    config.REDIS_URL === undefined ? undefined : await createRedis(config.REDIS_URL, limits.redis);
  const counters = injected ?? createCounters(redis, now);
  const throttle = createLoginThrottle(counters);
  const codeThrottle = createCodeThrottle(counters);
  const auditRefusals = createAuditRefusals(db, now);
  const idempotency = createIdempotency(config, db, now);
  const captcha = createCaptchaGate(config, db, limits.captcha);

  const loginService = createUpstream(config.LOGIN_SERVICE_URL, limits.services);
  const userService = createUpstream(config.USER_SERVICE_URL, limits.services);
  const upstreamOf = (prefix: Prefix): Upstream | undefined => {
    const servedBy = PREFIXES[prefix];
    if (servedBy === 'login') return loginService;
    if (servedBy === 'user') return userService;
    const url = config[servedBy];
    if (url !== undefined) return createUpstream(url, limits.platform);
    return prefix === '/api/v1/chatbots' ? userService : undefined;
  };
  const upstreams = Object.fromEntries(
    (Object.keys(PREFIXES) as Prefix[]).map((prefix) => [prefix, upstreamOf(prefix)]),
  ) as Record<Prefix, Upstream | undefined>;

  const app = await createServer({
    name: 'gateway',
    description: 'The only entrance for clients: checks the CAPTCHA at login and forwards calls by path.',
    config,
    isPublished: true,
    checks: {
      mongodb: { needed: true, check: db.ping },
      login: { needed: false, check: loginService.check },
      user: { needed: false, check: userService.check },
      ...(redis && { redis: { needed: false, check: () => redis.ping() } }),
    },
    hooks: async (server) => {
      if (config.PUBLIC_URL.startsWith('https:')) await server.register(strictTransport);
      await server.register(bodyTimeout, { timeout: limits.body });
      await server.register(policy, { config, counters, principals, now });
      await server.register(apiVersion, { deprecations });
    },
    brand: config,
    document: documentOf([config.LOGIN_SERVICE_URL, config.USER_SERVICE_URL], limits.document),
    streams: true,
    timeouts: { idle: limits.idle },
    now,
    ...(logStream && { logStream }),
  });
  // Only the message: the error of a refused login holds the command with the password.
  redis?.on('error', ({ message }) =>
    app.log.warn({ reason: message }, 'Redis is unavailable: counting in memory'),
  );
  redis?.connect().catch(() => {}); // it reconnects in the background

  await app.register(pages, { config });
  const operations = OPERATIONS.filter(
    (operation) => operation !== altchaChallenge || config.CAPTCHA_PROVIDER === 'altcha',
  );
  const dependencies = {
    config,
    db,
    captcha,
    throttle,
    codeThrottle,
    auditRefusals,
    loginService,
    userService,
    upstreams,
    principals,
    idempotency,
    now,
  };
  await addOperations(app, operations, dependencies);
  await app.register(prefixes, dependencies);

  app.addHook('onClose', async () => {
    const all = new Set([loginService, userService, ...Object.values(upstreams)]);
    await Promise.all([...all].map((upstream) => upstream?.close()));
    redis?.disconnect();
  });
  return app;
}
