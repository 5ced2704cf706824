import { pages } from '@gatehouse/account-pages';
import type { GatewayConfig } from '@gatehouse/shared/config';
import { createServer } from '@gatehouse/shared/http/server';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import type { CaptchaGate } from './captcha/gate.ts';
import { cookieSessions } from './cookie/cookie-sessions.ts';
import type { Database } from './database.ts';
import { createDependencies } from './dependencies.ts';
import { documentOf } from './document.ts';
import { LIMITS, type Limits } from './limits.ts';
import { apiVersion, DEPRECATIONS, type Deprecation } from './policy/api-version.ts';
import type { Counters } from './policy/counters.ts';
import { policy } from './policy/policy.ts';
import { strictTransport } from './policy/strict-transport.ts';
import { bodyTimeout } from './proxy/body-timeout.ts';
import { altchaChallenge } from './routes/captcha-challenge.ts';
import { loginCode } from './routes/login-code.ts';
import { OPERATIONS } from './routes/operations.ts';
import { prefixes } from './routes/prefixes.ts';

interface GatewayOptions {
  config: GatewayConfig;
  db: Database;
  deprecations?: readonly Deprecation[];
  /** A test injects counters that it can read and spend. */
  counters?: Counters;
  /** A test injects a CAPTCHA that it can make fail. */
  captcha?: CaptchaGate;
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
  counters,
  captcha,
  limits: overrides,
  now = Date.now,
  logStream,
}: GatewayOptions) {
  const limits = { ...LIMITS, ...overrides };
  const dependencies = await createDependencies({ config, db, counters, captcha, limits, now });
  const { principals, redis, loginService, userService, tokens } = dependencies;

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
      await server.register(cookieSessions, { config, tokens, now });
      await server.register(policy, {
        config,
        counters: dependencies.counters,
        principals,
        machineKeys: db.machineKeys,
        now,
      });
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
  const off = new Set([
    ...(config.CAPTCHA_PROVIDER === 'altcha' ? [] : [altchaChallenge]),
    ...(config.LOGIN_BY_CODE ? [] : loginCode),
  ]);
  const operations = OPERATIONS.filter((operation) => !off.has(operation));
  await addOperations(app, operations, dependencies);
  await app.register(prefixes, dependencies);

  app.addHook('onClose', dependencies.close);
  return app;
}
