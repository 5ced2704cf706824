import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import {
  ConfigError,
  loadConfig,
  loadStandaloneConfig,
  type Service,
  variablesOf,
} from '@gatehouse/shared/config';
import { describe, expect, test } from 'vitest';

const SERVICES: Service[] = ['gateway', 'login', 'user'];
const GOOD = {
  JWT_SECRET: '8f14e45fceea167a5a36dedd4bea2543',
  CAPTCHA_SECRET: 'c9f0f895fb98ab9159f51fd0297e236d',
};

/** Returns the message of the ConfigError that a call throws. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('expected a ConfigError');
}

describe('.env.example', () => {
  const text = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
  const lines = text.split('\n');
  const example = parseEnv(text) as Record<string, string>;

  test.each(
    SERVICES.flatMap((service) => variablesOf(service).map((variable) => [service, variable] as const)),
  )('%s: %s has a comment above it', (_service, variable) => {
    const at = lines.findIndex((line) => line.startsWith(`${variable}=`));
    expect(at).toBeGreaterThan(0);
    expect(lines[at - 1]).toMatch(/^# [A-Za-z`].{10}/);
  });

  test('lists exactly the variables that the services, `npm start` and Compose read', () => {
    const compose = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
    const interpolated = [...compose.matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name);
    const read = [
      ...SERVICES.flatMap(variablesOf),
      ...Object.keys(loadStandaloneConfig({})),
      ...interpolated,
    ];
    expect(Object.keys(example).sort()).toEqual([...new Set(read)].sort());
  });

  test.each(SERVICES)('has the defaults of the %s service', (service) => {
    expect(loadConfig(service, { ...example, ...GOOD })).toEqual(loadConfig(service, GOOD));
  });

  test('has the defaults of `npm start`', () => {
    expect(loadStandaloneConfig(example)).toEqual(loadStandaloneConfig({}));
  });
});

describe('defaults (.env.example)', () => {
  const everyService = {
    NODE_ENV: 'development',
    HOST: '0.0.0.0',
    LOG_LEVEL: 'info',
    MONGODB_URI: 'mongodb://127.0.0.1:27017/gatehouse',
    BODY_MEMORY_MB: 64,
    JWT_SECRET: GOOD.JWT_SECRET,
    TRUST_PROXY: false,
    OTEL_EXPORTER_OTLP_HEADERS: {},
    OTEL_TRACES_SAMPLER_ARG: 1,
  };
  const brand = { BRAND_NAME: 'Gatehouse', BRAND_COLOR: '#3451d1' };

  test('gateway', () => {
    expect(loadConfig('gateway', GOOD)).toEqual({
      config: {
        ...everyService,
        GATEWAY_PORT: 8000,
        PUBLIC_URL: 'http://localhost:8000',
        LOGIN_SERVICE_URL: 'http://127.0.0.1:8001',
        USER_SERVICE_URL: 'http://127.0.0.1:8002',
        CAPTCHA_PROVIDER: 'altcha',
        CAPTCHA_SECRET: GOOD.CAPTCHA_SECRET,
        CAPTCHA_MIN_SCORE: 0.5,
        RATE_LIMIT: true,
        CAPTCHA_ON_CATALOGUE_LOGIN: 'after-failures',
        RATE_LIMIT_ANONYMOUS_PER_MINUTE: 300,
        RATE_LIMIT_V2_PER_MINUTE: 300,
        COOKIE_ORIGINS: [],
        PRINCIPAL_CACHE_MS: 1_000,
        SOCIAL: [],
        SOCIAL_PROVIDERS: [],
        LOGIN_BY_CODE: false,
        SIGN_IN_FORM: 'password',
        ADMIN_CONSOLE: false,
        ...brand,
        PUBLIC_CALLBACK_PATHS: ['/api/v1/payment/webhook'],
      },
      warnings: [],
    });
  });

  test('login', () => {
    expect(loadConfig('login', GOOD)).toEqual({
      config: {
        ...everyService,
        LOGIN_PORT: 8001,
        SESSION_MAX_HOURS: 24,
        SESSION_IDLE_MINUTES: 60,
        PASSWORD_STORAGE: 'argon2id',
        PUBLIC_URL: 'http://localhost:8000',
        USER_SERVICE_URL: 'http://127.0.0.1:8002',
      },
      warnings: [],
    });
  });

  test('user', () => {
    expect(loadConfig('user', GOOD)).toEqual({
      config: {
        ...everyService,
        USER_PORT: 8002,
        SESSION_MAX_HOURS: 24,
        SESSION_IDLE_MINUTES: 60,
        SSO_SESSION_HOURS: 8,
        PASSWORD_STORAGE: 'argon2id',
        PASSWORD_POLICY: 'none',
        LOGIN_BY_CODE: false,
        ADMIN_APPROVALS: false,
        ACCOUNT_DELETION_DAYS: 14,
        MAILS_PER_NETWORK_PER_HOUR: 30,
        MAILS_PER_MAILBOX_PER_HOUR: 10,
        ACTIVATIONS_PER_NETWORK_PER_HOUR: 20,
        SMTP_URL: 'smtp://127.0.0.1:1025',
        MAIL_FROM: 'Gatehouse <no-reply@localhost>',
        PUBLIC_URL: 'http://localhost:8000',
        ...brand,
        WEBHOOK_ALLOW_PRIVATE: false,
        WEBHOOK_PORTS: [
          [80, 80],
          [443, 443],
          [8_000, 9_999],
        ],
        WEBHOOK_RETENTION_DAYS: 30,
        SSO_ALLOWED_NETWORKS: [],
        SOCIAL: [],
        SOCIAL_PROVIDERS: [],
      },
      warnings: [],
    });
  });

  test('npm start', () => {
    expect(loadStandaloneConfig({})).toEqual({
      NODE_ENV: 'development',
      DATA_DIR: '.gatehouse',
      GATEWAY_PORT: 8000,
      LOGIN_PORT: 8001,
      USER_PORT: 8002,
      STANDALONE_MONGO_PORT: 27017,
      STANDALONE_SMTP_PORT: 1025,
      STANDALONE_MAILBOX_PORT: 8025,
      STANDALONE_PRACTICE_PORT: 8090,
      STANDALONE_PRACTICE_LDAP_PORT: 3890,
    });
  });

  test.each(SERVICES)('an empty value counts as unset: %s', (service) => {
    const empty = Object.fromEntries(variablesOf(service).map((variable) => [variable, '']));
    expect(loadConfig(service, { ...empty, ...GOOD })).toEqual(loadConfig(service, GOOD));
  });

  test('an empty value counts as unset: npm start', () => {
    const variables = [...SERVICES.flatMap(variablesOf), ...Object.keys(loadStandaloneConfig({}))];
    const empty = Object.fromEntries(variables.map((variable) => [variable, '']));
    expect(loadStandaloneConfig(empty)).toEqual(loadStandaloneConfig({}));
  });
});

describe('accepted values', () => {
  test.each<[Service, string, string, unknown]>([
    ['gateway', 'GATEWAY_PORT', '0', 0],
    ['gateway', 'GATEWAY_PORT', '65535', 65_535],
    ['user', 'METRICS_PORT', '9464', 9_464],
    ['gateway', 'CAPTCHA_HOSTNAMES', 'a.example, b.example', ['a.example', 'b.example']],
    ['login', 'BODY_MEMORY_MB', '4096', 4_096],
    ['gateway', 'RATE_LIMIT', 'off', false],
    ['gateway', 'CAPTCHA_MIN_SCORE', '0', 0],
    ['gateway', 'CAPTCHA_MIN_SCORE', '0.75', 0.75],
    ['gateway', 'CAPTCHA_MIN_SCORE', '1.0', 1],
    ['gateway', 'RATE_LIMIT_ANONYMOUS_PER_MINUTE', '1', 1],
    ['gateway', 'CAPTCHA_PROVIDER', 'turnstile', 'turnstile'],
    ['gateway', 'CAPTCHA_VERIFY_URL', 'https://verify.example/a?b', 'https://verify.example/a?b'],
    [
      'gateway',
      'REDIS_URL',
      'rediss://:secret@redis.example:6380/1',
      'rediss://:secret@redis.example:6380/1',
    ],
    [
      'login',
      'MONGODB_URI',
      'mongodb+srv://cluster.example/gatehouse',
      'mongodb+srv://cluster.example/gatehouse',
    ],
    // The URI of a replica set lists its members and is not a WHATWG URL.
    [
      'login',
      'MONGODB_URI',
      'mongodb://a.example:27017,b.example:27018/gatehouse?replicaSet=rs0',
      'mongodb://a.example:27017,b.example:27018/gatehouse?replicaSet=rs0',
    ],
    ['login', 'JWT_SECRET_PREVIOUS', 'previous secret', 'previous secret'],
    ['login', 'TRUST_PROXY', 'true', true],
    [
      'user',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'x-key=a%2Cb,authorization=Bearer%20c',
      { 'x-key': 'a,b', authorization: 'Bearer c' },
    ],
    ['user', 'OTEL_TRACES_SAMPLER_ARG', '0.05', 0.05],
    ['login', 'TRUST_PROXY', 'loopback, 10.0.0.0/8', 'loopback, 10.0.0.0/8'],
    ['login', 'CORS_ORIGINS', 'https://a.example', ['https://a.example']],
    [
      'login',
      'CORS_ORIGINS',
      'https://a.example, https://b.example',
      ['https://a.example', 'https://b.example'],
    ],
    ['user', 'MAIL_FROM', 'no-reply@a.example', 'no-reply@a.example'],
    ['login', 'PASSWORD_STORAGE', 'plain', 'plain'],
    ['user', 'PASSWORD_STORAGE', 'plain', 'plain'],
    ['user', 'PASSWORD_POLICY', 'nist', 'nist'],
    ['user', 'PUBLIC_URL', 'https://accounts.example.com', 'https://accounts.example.com'],
    ['user', 'PUBLIC_URL', 'https://accounts.example.com/', 'https://accounts.example.com'],
    ['user', 'PUBLIC_URL', 'https://example.com/accounts/', 'https://example.com/accounts'],
    ['gateway', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/', 'http://collector:4318'],
    ['user', 'WEBHOOK_ALLOW_PRIVATE', 'on', true],
    ['user', 'ACCOUNT_DELETION_DAYS', '0', 0],
    ['user', 'WEBHOOK_PORTS', '443', [[443, 443]]],
    ['user', 'SSO_ALLOWED_NETWORKS', '10.0.0.0/8, fd00::/8', ['10.0.0.0/8', 'fd00::/8']],
    [
      'user',
      'WEBHOOK_PORTS',
      '443, 1-65535',
      [
        [443, 443],
        [1, 65_535],
      ],
    ],
    ['user', 'SMTP_URL', 'smtps://user:pass@mail.example', 'smtps://user:pass@mail.example'],
  ])('%s: %s=%s', (service, variable, given, expected) => {
    const config: Record<string, unknown> = loadConfig(service, { ...GOOD, [variable]: given }).config;
    expect(config[variable]).toEqual(expected);
  });
});

describe('refused values', () => {
  const PORT = 'must be a port number, 0 to 65535';
  const HEADERS = 'must be headers such as authorization=Bearer%20abc, separated by commas';
  const PORTS = 'must be ports and ranges such as 80,443,8000-9999';
  const WHOLE = 'must be a whole number, 1 or more';
  const FRACTION = 'must be a number from 0 to 1';
  const HTTP = 'must be a URL that begins with http:// or https://';
  const MONGODB = 'must be a URL that begins with mongodb:// or mongodb+srv://';
  const SMTP = 'must be a URL that begins with smtp:// or smtps://';
  const ORIGINS = 'must be origins such as https://app.example.com, separated by commas';
  const CALLBACKS = 'must be exact paths such as /api/v1/payment/webhook, separated by commas';
  const PROVIDERS = 'must be one of recaptcha, hcaptcha, turnstile, altcha, none';

  test.each<[Service, string, string, string]>([
    ['gateway', 'GATEWAY_PORT', '65536', PORT],
    ['gateway', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317', HTTP],
    ['gateway', 'OTEL_EXPORTER_OTLP_HEADERS', 'authorization', HEADERS],
    ['gateway', 'OTEL_EXPORTER_OTLP_HEADERS', 'x-key=a%ZZ', HEADERS],
    ['gateway', 'OTEL_EXPORTER_OTLP_HEADERS', 'x-key=a\nb', HEADERS],
    ['gateway', 'OTEL_TRACES_SAMPLER_ARG', '2', FRACTION],
    ['gateway', 'GATEWAY_PORT', '-1', PORT],
    ['gateway', 'GATEWAY_PORT', '80.5', PORT],
    ['gateway', 'GATEWAY_PORT', '1e3', PORT],
    ['gateway', 'GATEWAY_PORT', '0x50', PORT],
    ['gateway', 'GATEWAY_PORT', ' 80', PORT],
    ['gateway', 'GATEWAY_PORT', '８０', PORT],
    ['gateway', 'GATEWAY_PORT', 'Infinity', PORT],
    ['gateway', 'GATEWAY_PORT', 'http', PORT],
    ['login', 'LOGIN_PORT', 'http', PORT],
    ['user', 'USER_PORT', 'http', PORT],
    ['gateway', 'LOGIN_SERVICE_URL', '127.0.0.1:8001', HTTP],
    ['gateway', 'LOGIN_SERVICE_URL', 'http://', HTTP],
    ['gateway', 'USER_SERVICE_URL', 'ftp://127.0.0.1', HTTP],
    ['gateway', 'CAPTCHA_VERIFY_URL', 'javascript:alert(1)', HTTP],
    ['gateway', 'REDIS_URL', 'localhost:6379', 'must be a URL that begins with redis:// or rediss://'],
    ['gateway', 'CAPTCHA_PROVIDER', 'NONE', PROVIDERS],
    ['gateway', 'CAPTCHA_PROVIDER', 'captcha', PROVIDERS],
    ['gateway', 'RATE_LIMIT', 'true', 'must be one of on, off'],
    ['gateway', 'RATE_LIMIT_ANONYMOUS_PER_MINUTE', '0', WHOLE],
    ['gateway', 'RATE_LIMIT_V2_PER_MINUTE', '0', WHOLE],
    ['user', 'ACCOUNT_DELETION_DAYS', '366', 'must be a whole number of days, 0 to 365'],
    ['user', 'MAILS_PER_NETWORK_PER_HOUR', '0', 'must be a whole number, 1 to 1000'],
    ['user', 'ACTIVATIONS_PER_NETWORK_PER_HOUR', '1001', 'must be a whole number, 1 to 1000'],
    ['gateway', 'CAPTCHA_MIN_SCORE', '1.1', FRACTION],
    ['gateway', 'CAPTCHA_MIN_SCORE', '-0.5', FRACTION],
    ['gateway', 'CAPTCHA_MIN_SCORE', '.5', FRACTION],
    ['gateway', 'CAPTCHA_MIN_SCORE', 'half', FRACTION],
    ['user', 'PASSWORD_STORAGE_ACKNOWLEDGED', 'yes', 'must be one of 1'],
    ['gateway', 'RATE_LIMIT_ANONYMOUS_PER_MINUTE', '99999999999999999999', WHOLE],
    ['login', 'LOG_LEVEL', 'loud', 'must be one of fatal, error, warn, info, debug, trace, silent'],
    ['login', 'MONGODB_URI', 'http://127.0.0.1:27017', MONGODB],
    ['login', 'MONGODB_URI', 'gatehouse', MONGODB],
    ['login', 'MONGODB_URI', 'mongodb://', MONGODB],
    ['login', 'NODE_ENV', 'Production', 'must be one of development, production, test'],
    ['gateway', 'PUBLIC_CALLBACK_PATHS', '/api/v1/payment/*', CALLBACKS],
    ['gateway', 'PUBLIC_CALLBACK_PATHS', '/api/v1/payment/:id', CALLBACKS],
    ['gateway', 'PUBLIC_CALLBACK_PATHS', '/api/v1/payment/webhook,', CALLBACKS],
    ['gateway', 'PUBLIC_CALLBACK_PATHS', 'https://gatehouse.example/api/v1/payment/webhook', CALLBACKS],
    ['login', 'CORS_ORIGINS', '*', ORIGINS],
    ['gateway', 'COOKIE_ORIGINS', '*', ORIGINS],
    ['gateway', 'COOKIE_ORIGINS', 'null', ORIGINS],
    ['login', 'CORS_ORIGINS', 'https://a.example/path', ORIGINS],
    ['user', 'MAIL_FROM', 'nonsense', 'must be an address, or a name and an address in angle brackets'],
    ['user', 'SMTP_URL', 'smtp://', SMTP],
    ['user', 'PASSWORD_STORAGE', 'bcrypt', 'must be one of argon2id, plain'],
    ['user', 'PASSWORD_POLICY', 'strong', 'must be one of none, nist'],
    ['user', 'PASSWORD_BREACH_URL', 'https://range.example', 'needs PASSWORD_POLICY=nist'],
    ['user', 'SMTP_URL', 'mail.example:25', SMTP],
    ['user', 'SMTP_URL', 'smtp://mail.example:99999', SMTP],
    ['user', 'PUBLIC_URL', 'accounts.example.com', 'must be a URL that begins with http:// or https://'],
    ['user', 'WEBHOOK_ALLOW_PRIVATE', '1', 'must be one of on, off'],
    ...['0', '65536', '443-80', '443,', 'https', '80-', '-80', '1-2-3', '8e3'].map(
      (given): [Service, string, string, string] => ['user', 'WEBHOOK_PORTS', given, PORTS],
    ),
    ...[
      '10.0.0.0',
      '10.0.0.0/33',
      '10.0.0/8',
      'fd00::/129',
      'fe80::%eth0/64',
      'corp.example/8',
      '::1/8,',
    ].map((given): [Service, string, string, string] => [
      'user',
      'SSO_ALLOWED_NETWORKS',
      given,
      'must be ranges of addresses such as 10.0.0.0/8,fd00::/8',
    ]),
  ])('%s: %s=%s', (service, variable, given, why) => {
    expect(refusal(() => loadConfig(service, { ...GOOD, [variable]: given }))).toBe(`${variable} ${why}`);
  });

  test.each([
    'proxy.example',
    '10.0.0.0/99',
    '0.0.0.0/0',
    '::/0',
    'loopback,nonsense',
    'false',
    '1',
    '10.0.0.1,',
  ])('TRUST_PROXY=%s is refused with one line that names it', (given) => {
    expect(refusal(() => loadConfig('gateway', { ...GOOD, TRUST_PROXY: given }))).toMatch(
      /^TRUST_PROXY must .+$/,
    );
  });

  test.each(SERVICES)('%s without JWT_SECRET', (service) => {
    const line = 'JWT_SECRET is required and has no default';
    expect(refusal(() => loadConfig(service, { ...GOOD, JWT_SECRET: undefined }))).toBe(line);
    expect(refusal(() => loadConfig(service, { ...GOOD, JWT_SECRET: '' }))).toBe(line);
  });

  test.each(['recaptcha', 'hcaptcha', 'turnstile', 'altcha'])('%s without CAPTCHA_SECRET', (provider) => {
    const env = { JWT_SECRET: GOOD.JWT_SECRET, CAPTCHA_PROVIDER: provider };
    expect(refusal(() => loadConfig('gateway', env))).toBe(
      `CAPTCHA_SECRET is required with CAPTCHA_PROVIDER=${provider}`,
    );
  });

  test.each([
    ['hcaptcha', {}, 'CAPTCHA_ACTION cannot be checked with CAPTCHA_PROVIDER=hcaptcha: its tokens have none'],
    [
      'recaptcha',
      { CAPTCHA_SITE_KEY: 'key' },
      'CAPTCHA_ACTION cannot be checked with a CAPTCHA_SITE_KEY of reCAPTCHA: the account pages show version 2, whose tokens have none',
    ],
    ...['log in', 'x'.repeat(33)].map((CAPTCHA_ACTION) => [
      'turnstile',
      { CAPTCHA_ACTION },
      'CAPTCHA_ACTION must be 1 to 32 letters, digits, _ or - with CAPTCHA_PROVIDER=turnstile',
    ]),
  ] as [string, NodeJS.ProcessEnv, string][])(
    'an action that no token of %s can have: %j',
    (provider, env, line) => {
      const action = { ...GOOD, CAPTCHA_PROVIDER: provider, CAPTCHA_ACTION: 'login' };
      expect(refusal(() => loadConfig('gateway', { ...action, ...env }))).toBe(line);
    },
  );

  test.each([
    ['turnstile', { CAPTCHA_SITE_KEY: 'key' }],
    ['recaptcha', {}],
    ['altcha', {}],
  ])('%s takes a CAPTCHA_ACTION with %j', (provider, env) => {
    const action = { ...GOOD, CAPTCHA_PROVIDER: provider, CAPTCHA_ACTION: 'log_in-1' };
    expect(loadConfig('gateway', { ...action, ...env }).config.CAPTCHA_ACTION).toBe('log_in-1');
  });

  test('CAPTCHA_PROVIDER=none needs no CAPTCHA_SECRET', () => {
    const env = { JWT_SECRET: GOOD.JWT_SECRET, CAPTCHA_PROVIDER: 'none' };
    expect(loadConfig('gateway', env).config.CAPTCHA_SECRET).toBe('');
  });

  test('several invalid variables get one line each', () => {
    const env = { GATEWAY_PORT: 'x', LOG_LEVEL: 'x', RATE_LIMIT: 'x' };
    expect(
      refusal(() => loadConfig('gateway', env))
        .split('\n')
        .sort(),
    ).toEqual([
      `GATEWAY_PORT ${PORT}`,
      'JWT_SECRET is required and has no default',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'RATE_LIMIT must be one of on, off',
    ]);
  });

  test.each<[string, string, string]>([
    ['GATEWAY_PORT', '70000', PORT],
    ['LOGIN_PORT', 'x', PORT],
    ['USER_PORT', 'x', PORT],
    ['STANDALONE_MONGO_PORT', 'x', PORT],
    ['STANDALONE_SMTP_PORT', 'x', PORT],
    ['STANDALONE_MAILBOX_PORT', 'x', PORT],
    ['STANDALONE_PRACTICE_PORT', 'x', PORT],
    ['STANDALONE_PRACTICE_LDAP_PORT', 'x', PORT],
    ['MONGODB_URI', 'x', MONGODB],
    ['SMTP_URL', 'x', SMTP],
  ])('npm start: %s=%s', (variable, given, why) => {
    expect(refusal(() => loadStandaloneConfig({ [variable]: given }))).toBe(`${variable} ${why}`);
  });
});

test('npm start returns the configured values', () => {
  const env = {
    DATA_DIR: '/var/lib/gatehouse',
    GATEWAY_PORT: '80',
    STANDALONE_MONGO_PORT: '27117',
    MONGODB_URI: 'mongodb://db.example/gatehouse',
    SMTP_URL: 'smtp://mail.example',
    JWT_SECRET: 'short',
    CAPTCHA_SECRET: 'captcha',
    PATH: '/bin',
  };
  expect(loadStandaloneConfig(env)).toEqual({
    NODE_ENV: 'development',
    DATA_DIR: '/var/lib/gatehouse',
    GATEWAY_PORT: 80,
    LOGIN_PORT: 8001,
    USER_PORT: 8002,
    STANDALONE_MONGO_PORT: 27117,
    STANDALONE_SMTP_PORT: 1025,
    STANDALONE_MAILBOX_PORT: 8025,
    STANDALONE_PRACTICE_PORT: 8090,
    STANDALONE_PRACTICE_LDAP_PORT: 3890,
    MONGODB_URI: 'mongodb://db.example/gatehouse',
    SMTP_URL: 'smtp://mail.example',
    JWT_SECRET: 'short',
    CAPTCHA_SECRET: 'captcha',
  });
});

describe('unsafe settings', () => {
  const weak: [Service, NodeJS.ProcessEnv, string][] = [
    ['gateway', { JWT_SECRET: 'x'.repeat(31) }, 'JWT_SECRET is shorter than 32 bytes'],
    ['login', { JWT_SECRET: 'x'.repeat(31) }, 'JWT_SECRET is shorter than 32 bytes'],
    ['user', { JWT_SECRET: 'x'.repeat(31) }, 'JWT_SECRET is shorter than 32 bytes'],
    ['login', { JWT_SECRET_PREVIOUS: 'x'.repeat(31) }, 'JWT_SECRET_PREVIOUS is shorter than 32 bytes'],
    ['gateway', { CAPTCHA_SECRET: 'x'.repeat(31) }, 'CAPTCHA_SECRET is shorter than 32 bytes'],
    ['user', { INTERNAL_API_KEY: 'x'.repeat(31) }, 'INTERNAL_API_KEY is shorter than 32 bytes'],
    ['user', { WEBHOOK_SECRET_KEY: 'x'.repeat(31) }, 'WEBHOOK_SECRET_KEY is shorter than 32 bytes'],
    [
      'user',
      { WEBHOOK_SECRET_KEY_PREVIOUS: 'x'.repeat(31) },
      'WEBHOOK_SECRET_KEY_PREVIOUS is shorter than 32 bytes',
    ],
    ...['x'.repeat(32), 'changeme'.repeat(4), '0123456789abcdef'.repeat(4), 'é'.repeat(16)].map(
      (secret): [Service, NodeJS.ProcessEnv, string] => [
        'user',
        { INTERNAL_API_KEY: secret },
        'INTERNAL_API_KEY repeats itself or few characters: use random text, as from openssl rand -hex 32',
      ],
    ),
    [
      'gateway',
      { CAPTCHA_SECRET: 'ab'.repeat(16) },
      'CAPTCHA_SECRET repeats itself or few characters: use random text, as from openssl rand -hex 32',
    ],
    [
      'gateway',
      { CAPTCHA_SECRET: GOOD.JWT_SECRET },
      'CAPTCHA_SECRET equals JWT_SECRET: give each secret a value of its own',
    ],
    [
      'user',
      { WEBHOOK_SECRET_KEY: GOOD.CAPTCHA_SECRET, INTERNAL_API_KEY: GOOD.CAPTCHA_SECRET },
      'INTERNAL_API_KEY equals WEBHOOK_SECRET_KEY: give each secret a value of its own',
    ],
    [
      'user',
      { PUBLIC_URL: 'http://accounts.example.com' },
      'PUBLIC_URL is http: links in mails would open without TLS; use https',
    ],
    [
      'gateway',
      { CAPTCHA_VERIFY_URL: 'http://captcha.example.com/siteverify' },
      'CAPTCHA_VERIFY_URL is http: the secret would be sent without TLS; use https',
    ],
    ['gateway', { CAPTCHA_PROVIDER: 'none' }, 'CAPTCHA_PROVIDER is none: logins are not protected'],
    [
      'user',
      { WEBHOOK_ALLOW_PRIVATE: 'on' },
      'WEBHOOK_ALLOW_PRIVATE is on: webhooks can reach the internal network',
    ],
    [
      'user',
      { ACCOUNT_DELETION_DAYS: '0' },
      'ACCOUNT_DELETION_DAYS is 0: accounts would be deleted at once, and no login could restore them',
    ],
    ...['0.0.0.0/0', '10.0.0.0/8,::/0'].map((ranges): [Service, NodeJS.ProcessEnv, string] => [
      'user',
      { SSO_ALLOWED_NETWORKS: ranges },
      'SSO_ALLOWED_NETWORKS allows every address: single sign-on can reach the internal network; name the networks of identity providers',
    ]),
    ...SERVICES.map((service): [Service, NodeJS.ProcessEnv, string] => [
      service,
      { TRUST_PROXY: 'true' },
      'TRUST_PROXY is true: every client can forge its address; name the addresses of the proxies',
    ]),
    [
      'user',
      { PASSWORD_STORAGE: 'plain' },
      'PASSWORD_STORAGE is plain without PASSWORD_STORAGE_ACKNOWLEDGED=1: passwords are stored as submitted',
    ],
  ];

  test.each(weak)('%s %o is refused in production', (service, env, why) => {
    expect(refusal(() => loadConfig(service, { ...GOOD, ...env, NODE_ENV: 'production' }))).toBe(
      `${why}; production refuses to start with it`,
    );
  });

  test.each(weak)('%s %o is a warning elsewhere', (service, env, why) => {
    for (const NODE_ENV of ['development', 'test', '']) {
      const { warnings } = loadConfig(service, { ...GOOD, ...env, NODE_ENV });
      expect(warnings).toEqual([`${why}; production refuses to start with it`]);
    }
  });

  test.each<[Service, NodeJS.ProcessEnv]>([
    ['gateway', { TRUST_PROXY: '10.0.0.0/8, loopback' }],
    ['user', { SSO_ALLOWED_NETWORKS: '10.0.0.0/8,fd00::/8' }],
    ['user', { PASSWORD_STORAGE: 'plain', PASSWORD_STORAGE_ACKNOWLEDGED: '1' }],
    ['user', { WEBHOOK_SECRET_KEY_PREVIOUS: GOOD.JWT_SECRET }],
    ['user', { WEBHOOK_SECRET_KEY_PREVIOUS: 'x'.repeat(32) }],
    ['user', { PUBLIC_URL: 'http://localhost:8000' }],
    ['user', { PUBLIC_URL: 'https://accounts.example.com' }],
    ['gateway', { CAPTCHA_PROVIDER: 'turnstile', CAPTCHA_SECRET: '1x0000000000000000000000000000000AA' }],
  ])('%s %o is accepted in production without a warning', (service, env) => {
    expect(loadConfig(service, { ...GOOD, ...env, NODE_ENV: 'production' }).warnings).toEqual([]);
  });

  test('RATE_LIMIT=off is a warning in production only', () => {
    const env = { ...GOOD, RATE_LIMIT: 'off' };
    expect(loadConfig('gateway', { ...env, NODE_ENV: 'production' }).warnings).toEqual([
      'RATE_LIMIT is off: calls are not limited',
    ]);
    expect(loadConfig('gateway', env).warnings).toEqual([]);
  });

  test('two unsafe settings get one line each', () => {
    const env = { ...GOOD, JWT_SECRET: 'short', CAPTCHA_PROVIDER: 'none', NODE_ENV: 'production' };
    expect(refusal(() => loadConfig('gateway', env))).toBe(
      'JWT_SECRET is shorter than 32 bytes; production refuses to start with it\n' +
        'CAPTCHA_PROVIDER is none: logins are not protected; production refuses to start with it',
    );
  });

  test('the length of a secret is counted in bytes', () => {
    const env = { ...GOOD, JWT_SECRET: 'äéîõüßçñøåæðþÿœšĉďěĝ', NODE_ENV: 'production' };
    expect(loadConfig('login', env).warnings).toEqual([]);
  });

  test.each(SERVICES)('production accepts good settings without a warning: %s', (service) => {
    expect(loadConfig(service, { ...GOOD, NODE_ENV: 'production' }).warnings).toEqual([]);
  });
});

describe('messages never contain secrets', () => {
  const secrets: [Service, NodeJS.ProcessEnv][] = [
    ['login', { JWT_SECRET: 'hunter2', NODE_ENV: 'production' }],
    ['login', { JWT_SECRET: 'hunter2', JWT_SECRET_PREVIOUS: 'hunter2', LOG_LEVEL: 'x' }],
    ['login', { ...GOOD, MONGODB_URI: 'mongo://root:hunter2@db.example/gatehouse' }],
    ['login', { ...GOOD, MONGODB_URI: 'mongodb://root:hunter2@db.example:99999/gatehouse' }],
    ['gateway', { ...GOOD, REDIS_URL: 'http://:hunter2@redis.example' }],
    ['gateway', { JWT_SECRET: 'x', CAPTCHA_SECRET: 'hunter2', CAPTCHA_PROVIDER: 'hunter2' }],
    ['gateway', { ...GOOD, LOGIN_SERVICE_URL: 'ftp://user:hunter2@login.example' }],
    ['user', { ...GOOD, SMTP_URL: 'mail://user:hunter2@mail.example' }],
    ['user', { ...GOOD, INTERNAL_API_KEY: 'hunter2', NODE_ENV: 'production' }],
    ['user', { ...GOOD, WEBHOOK_SECRET_KEY: 'hunter2', NODE_ENV: 'production' }],
  ];

  test.each(secrets)('%s %o', (service, env) => {
    expect(refusal(() => loadConfig(service, env))).not.toContain('hunter2');
  });

  test('warnings do not either', () => {
    expect(loadConfig('login', { JWT_SECRET: 'hunter2' }).warnings.join()).not.toContain('hunter2');
  });

  test('errors of `npm start` do not either', () => {
    for (const env of [
      { SMTP_URL: 'x://user:hunter2@mail.example' },
      { MONGODB_URI: 'x://user:hunter2@db' },
    ]) {
      expect(refusal(() => loadStandaloneConfig(env))).not.toContain('hunter2');
    }
  });
});
