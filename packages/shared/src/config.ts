import { isIP } from 'node:net';
import { z } from 'zod';
import { UPSTREAM_SETTINGS, type UpstreamSetting } from './contract/prefixes.ts';

const number = (what: string, { min, max = Number.MAX_SAFE_INTEGER }: { min: number; max?: number }) =>
  z
    .string()
    .transform((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN))
    .refine((value) => value >= min && value <= max, { error: `must be ${what}` });
const port = number('a port number, 0 to 65535', { min: 0, max: 65_535 });
const choice = <const T extends readonly string[]>(...values: T) =>
  z.enum(values, { error: `must be one of ${values.join(', ')}` });
const flag = choice('on', 'off').transform((value) => value === 'on');
const list = z.string().transform((text) => text.split(',').map((item) => item.trim()));
const address = (...schemes: string[]) =>
  z.string().refine(
    (text) =>
      schemes.some((scheme) => text.startsWith(`${scheme}://`)) &&
      Boolean(URL.parse(text.replaceAll(/[^@/,]+,/g, ''))?.hostname), // a replica set names several hosts
    {
      error: `must be an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
    },
  );

/** An address, a range in CIDR notation, or one of proxy-addr's names for ranges. */
const isRange = (text: string) => {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [ip = '', bits = '0', ...more] = text.split('/');
  return (
    isIP(ip) > 0 && /^\d+$/.test(bits) && Number(bits) <= (isIP(ip) === 4 ? 32 : 128) && more.length === 0
  );
};

const everyService = {
  NODE_ENV: choice('development', 'production', 'test').default('development'),
  HOST: z.string().default('0.0.0.0'),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  MONGODB_URI: address('mongodb', 'mongodb+srv').default('mongodb://127.0.0.1:27017/gatehouse'),
  JWT_SECRET: z.string({ error: 'is required and has no default' }),
  JWT_SECRET_PREVIOUS: z.string().optional(),
  CORS_ORIGINS: list
    .refine((origins) => origins.every((origin) => URL.parse(origin)?.origin === origin), {
      error: 'must be origins such as https://app.example.com, separated by commas; unset, all may call',
    })
    .optional(),
  /** As fastify's trustProxy: `true`, or addresses and ranges separated by commas. */
  TRUST_PROXY: z
    .string()
    .default('')
    .refine(
      (text) => text === '' || text === 'true' || text.split(',').every((item) => isRange(item.trim())),
      { error: 'must be true, or addresses and ranges separated by commas' },
    )
    .transform((text) => (text === '' || text === 'true' ? text === 'true' : text)),
};

const url = address('http', 'https');
const upstreams = Object.fromEntries(UPSTREAM_SETTINGS.map((setting) => [setting, url.optional()])) as Record<
  UpstreamSetting,
  z.ZodOptional<typeof url>
>;

const services = {
  gateway: z.object({
    ...everyService,
    GATEWAY_PORT: port.default(8000),
    LOGIN_SERVICE_URL: address('http', 'https').default('http://127.0.0.1:8001'),
    USER_SERVICE_URL: address('http', 'https').default('http://127.0.0.1:8002'),
    REDIS_URL: address('redis', 'rediss').optional(),
    CAPTCHA_PROVIDER: choice('recaptcha', 'hcaptcha', 'turnstile', 'altcha', 'none').default('altcha'),
    CAPTCHA_SECRET: z.string().default(''),
    CAPTCHA_ON_CATALOGUE_LOGIN: choice('after-failures', 'always', 'never').default('after-failures'),
    CAPTCHA_VERIFY_URL: address('http', 'https').optional(),
    RATE_LIMIT: flag.default(true),
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: number('a whole number, 1 or more', { min: 1 }).default(300),
    PRINCIPAL_CACHE_MS: number('milliseconds, 0 to 1000', { min: 0, max: 1_000 }).default(1_000),
    PUBLIC_CALLBACK_PATHS: list.default(['/api/v1/payment/webhook']),
    ...upstreams,
  }),
  login: z.object({
    ...everyService,
    LOGIN_PORT: port.default(8001),
    SESSION_MAX_HOURS: number('a whole number of hours, 1 or more', { min: 1 }).default(24),
  }),
  user: z.object({
    ...everyService,
    USER_PORT: port.default(8002),
    PASSWORD_STORAGE: choice('argon2id', 'plain').default('argon2id'),
    SMTP_URL: address('smtp', 'smtps').default('smtp://127.0.0.1:1025'),
    MAIL_FROM: z
      .string()
      .regex(/^[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>$|^[^<>@\s]+@[^<>@\s]+$/, {
        error: 'must be an address, or a name and an address in angle brackets',
      })
      .default('Gatehouse <no-reply@localhost>'),
    /** What clients call the gateway, as mails name it. */
    PUBLIC_URL: address('http', 'https').default('http://localhost:8000'),
    WEBHOOK_ALLOW_PRIVATE: flag.default(false),
    WEBHOOK_SECRET_KEY: z.string().optional(),
    WEBHOOK_SECRET_KEY_PREVIOUS: z.string().optional(),
    INTERNAL_API_KEY: z.string().optional(),
  }),
};

/** What `npm start` reads: where things listen and rest, and what is configured and so not started. */
const standalone = z.object({
  DATA_DIR: z.string().default('.gatehouse'),
  GATEWAY_PORT: port.default(8000),
  LOGIN_PORT: port.default(8001),
  USER_PORT: port.default(8002),
  STANDALONE_MONGO_PORT: port.default(27017),
  STANDALONE_SMTP_PORT: port.default(1025),
  STANDALONE_MAILBOX_PORT: port.default(8025),
  MONGODB_URI: everyService.MONGODB_URI.unwrap().optional(),
  SMTP_URL: services.user.shape.SMTP_URL.unwrap().optional(),
  JWT_SECRET: z.string().optional(),
  CAPTCHA_SECRET: z.string().optional(),
});

type Services = typeof services;
export type Service = keyof Services;
export type Config<S extends Service = Service> = z.infer<Services[S]>;
export type GatewayConfig = Config<'gateway'>;
export type StandaloneConfig = z.infer<typeof standalone>;

/** The names of the variables that a service reads; `.env.example` explains each. */
export const variablesOf = (service: Service): string[] => Object.keys(services[service].shape);

const isShort = (secret: unknown) => typeof secret === 'string' && Buffer.byteLength(secret) < 32;
/** What a laptop may do and production may not. */
const unsafe: [variable: string, is: (config: Record<string, unknown>) => boolean, why: string][] = [
  ['JWT_SECRET', (config) => isShort(config.JWT_SECRET), 'is shorter than 32 bytes'],
  ['JWT_SECRET_PREVIOUS', (config) => isShort(config.JWT_SECRET_PREVIOUS), 'is shorter than 32 bytes'],
  ['WEBHOOK_SECRET_KEY', (config) => isShort(config.WEBHOOK_SECRET_KEY), 'is shorter than 32 bytes'],
  [
    'WEBHOOK_SECRET_KEY_PREVIOUS',
    (config) => isShort(config.WEBHOOK_SECRET_KEY_PREVIOUS),
    'is shorter than 32 bytes',
  ],
  ['INTERNAL_API_KEY', (config) => isShort(config.INTERNAL_API_KEY), 'is shorter than 32 bytes'],
  [
    'CAPTCHA_SECRET',
    (config) => config.CAPTCHA_PROVIDER === 'altcha' && isShort(config.CAPTCHA_SECRET),
    'is shorter than 32 bytes',
  ],
  ['CAPTCHA_PROVIDER', (config) => config.CAPTCHA_PROVIDER === 'none', 'is none: logins are not protected'],
  [
    'WEBHOOK_ALLOW_PRIVATE',
    (config) => config.WEBHOOK_ALLOW_PRIVATE === true,
    'is on: webhooks reach the inside',
  ],
];

/** The environment does not describe a service that may start. The message has one line a variable. */
export class ConfigError extends Error {}

/**
 * Reads a service's settings. An empty variable counts as unset.
 * `warnings` are what production would refuse.
 * @throws {ConfigError} naming every wrong or missing variable, without the value of a secret.
 */
export function loadConfig<S extends Service>(
  service: S,
  env: NodeJS.ProcessEnv = process.env,
): { config: Config<S>; warnings: string[] } {
  const config = parse<Config<S>>(services[service], env);
  const warnings = unsafe
    .filter(([, is]) => is(config))
    .map(([variable, , why]) => `${variable} ${why}; production refuses to start with it`);
  if ('CAPTCHA_SECRET' in config && config.CAPTCHA_PROVIDER !== 'none' && config.CAPTCHA_SECRET === '') {
    throw new ConfigError(`CAPTCHA_SECRET is required with CAPTCHA_PROVIDER=${config.CAPTCHA_PROVIDER}`);
  }
  if (config.NODE_ENV === 'production' && warnings.length > 0) throw new ConfigError(warnings.join('\n'));
  return { config, warnings };
}

/** Reads what `npm start` needs to know. @throws {ConfigError} */
export const loadStandaloneConfig = (env: NodeJS.ProcessEnv = process.env): StandaloneConfig =>
  parse(standalone, env);

function parse<T>(schema: z.ZodType, env: NodeJS.ProcessEnv): T {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data as T;
  throw new ConfigError(
    parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`).join('\n'),
  );
}
