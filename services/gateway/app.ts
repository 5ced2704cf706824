import type { GatewayConfig } from '@gatehouse/shared/config';
import type { Database } from '@gatehouse/shared/database';
import { AppError } from '@gatehouse/shared/errors';
import { forms } from '@gatehouse/shared/forms';
import { createServer } from '@gatehouse/shared/server';
import { createTokens } from '@gatehouse/shared/tokens';
import { canonicalPath } from './canonical-path.ts';
import { altchaChallenge } from './captcha/altcha.ts';
import { createCaptchaGate } from './captcha/gate.ts';
import { createCounters, createRedis } from './counters.ts';
import { direct } from './direct.ts';
import { createLoginThrottle } from './login-throttle.ts';
import { rateLimit } from './rate-limit.ts';
import { createUpstream } from './upstreams.ts';

export interface GatewayOptions {
  config: GatewayConfig;
  db: Database;
  /** Unix milliseconds; a test sets its own clock. */
  now?: () => number;
  logStream?: { write(line: string): void };
}

export async function buildGateway({ config, db, now = Date.now, logStream }: GatewayOptions) {
  const loginService = createUpstream(config.LOGIN_SERVICE_URL);
  const userService = createUpstream(config.USER_SERVICE_URL);
  const redis = config.REDIS_URL === undefined ? undefined : createRedis(config.REDIS_URL);
  const counters = createCounters(redis);

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
      await server.register(rateLimit, { config, counters, tokens: createTokens(config), now });
      await server.register(canonicalPath);
    },
    now,
    ...(logStream && { logStream }),
  });
  redis?.on('error', (error) => app.log.warn({ err: error }, 'Redis is away: counting in memory'));
  redis?.connect().catch(() => {}); // it keeps trying; the counters do without it meanwhile
  if (config.CAPTCHA_PROVIDER === 'altcha') await app.register(altchaChallenge, { config, now });
  await app.register(async (scope) => {
    await scope.register(forms, {
      doubled: (field) => (field === 'recaptcha_token' ? new AppError('captchaFailed') : undefined),
    });
    await scope.register(direct, {
      captcha: createCaptchaGate(config, db),
      throttle: createLoginThrottle(counters),
      loginService,
      userService,
      now,
    });
  });
  app.addHook('onClose', async () => {
    await Promise.all([loginService.close(), userService.close()]);
    redis?.disconnect();
  });
  return app;
}
