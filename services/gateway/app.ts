import type { GatewayConfig } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import { forms } from '@gatehouse/shared/http/forms';
import { createServer } from '@gatehouse/shared/http/server';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { apiVersion, DEPRECATIONS, type Deprecation } from './api-version.ts';
import { altchaChallenge } from './captcha/altcha.ts';
import { createCaptchaGate } from './captcha/gate.ts';
import { catalogueLogin } from './catalogue-login.ts';
import type { Database } from './database.ts';
import { documentOf } from './document.ts';
import { createCounters } from './policy/counters.ts';
import { createRedis } from './policy/counters-redis.ts';
import { createLoginThrottle } from './policy/login-throttle.ts';
import { policy } from './policy/policy.ts';
import { createPrincipals } from './policy/principals.ts';
import { bodyTimeout } from './proxy/body-timeout.ts';
import { catalogue } from './proxy/catalogue.ts';
import { direct } from './proxy/direct.ts';
import { createIdempotency } from './proxy/idempotency.ts';
import { PREFIXES, type Prefix } from './proxy/prefixes.ts';
import { respond } from './proxy/respond.ts';
import { uploadPdf } from './proxy/upload-pdf.ts';
import { createUpstream, TIMEOUT, type Upstream } from './proxy/upstreams.ts';

export interface GatewayOptions {
  config: GatewayConfig;
  db: Database;
  deprecations?: readonly Deprecation[];
  /** Unix milliseconds; a test sets its own clock. */
  now?: () => number;
  logStream?: { write(line: string): void };
}

export async function buildGateway({
  config,
  db,
  deprecations = DEPRECATIONS,
  now = Date.now,
  logStream,
}: GatewayOptions) {
  const tokens = createTokens(config);
  const principals = createPrincipals(config, { users: db.users, tokens, now });
  const redis = config.REDIS_URL === undefined ? undefined : createRedis(config.REDIS_URL);
  const counters = createCounters(redis, now);
  const throttle = createLoginThrottle(counters);
  const idempotency = createIdempotency(db, config.JWT_SECRET, now);
  const captcha = createCaptchaGate(config, db);

  const loginService = createUpstream(config.LOGIN_SERVICE_URL, TIMEOUT.ours);
  const userService = createUpstream(config.USER_SERVICE_URL, TIMEOUT.ours);
  const serving = (name: string): Upstream | undefined => {
    if (name === 'login') return loginService;
    if (name === 'user') return userService;
    const address = config[`UPSTREAM_${name}` as keyof GatewayConfig];
    if (typeof address === 'string') return createUpstream(address, TIMEOUT.platform);
    return name === 'CHATBOTS' ? userService : undefined;
  };
  const upstreams = Object.fromEntries(
    Object.entries(PREFIXES).map(([prefix, name]) => [prefix, serving(name)]),
  ) as Record<Prefix, Upstream | undefined>;

  const app = await createServer({
    name: 'gateway',
    description: 'The one entrance for clients: checks a CAPTCHA at login and routes by path.',
    config,
    checks: {
      mongodb: { needed: true, check: db.ping },
      login: { needed: false, check: loginService.check },
      user: { needed: false, check: userService.check },
      ...(redis && { redis: { needed: false, check: () => redis.ping() } }),
    },
    hooks: async (server) => {
      await server.register(bodyTimeout);
      await server.register(policy, { config, counters, principals, now });
      await server.register(apiVersion, { deprecations });
    },
    document: documentOf([config.LOGIN_SERVICE_URL, config.USER_SERVICE_URL]),
    streams: true,
    now,
    ...(logStream && { logStream }),
  });
  redis?.on('error', (error) => app.log.warn({ err: error }, 'Redis is away: counting in memory'));
  redis?.connect().catch(() => {}); // it keeps trying; the counters do without it meanwhile

  if (config.CAPTCHA_PROVIDER === 'altcha') await app.register(altchaChallenge, { config, now });
  await app.register(async (scope) => {
    await scope.register(forms, {
      duplicateError: (field) => (field === 'recaptcha_token' ? new AppError('captchaFailed') : undefined),
    });
    await scope.register(direct, { captcha, throttle, loginService, userService, principals, now });
  });
  await app.register(catalogueLogin, { config, captcha, throttle, loginService, now });
  await app.register(respond, { upstream: upstreams['/api/v1/chat-3d'], idempotency });
  await app.register(uploadPdf, { upstream: upstreams['/api/v1/crawl'], idempotency });
  await app.register(catalogue, {
    upstreams,
    ours: new Set([loginService, userService]),
    checked: ['/api/v1/chat-3d/respond', '/api/v1/crawl/upload-pdf'],
    publicPaths: config.PUBLIC_CALLBACK_PATHS,
    idempotency,
    principals,
  });

  app.addHook('onClose', async () => {
    const all = new Set([loginService, userService, ...Object.values(upstreams)]);
    await Promise.all([...all].map((upstream) => upstream?.close()));
    redis?.disconnect();
  });
  return app;
}
