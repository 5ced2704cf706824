import { z } from 'zod';
import { riskySettings, unsafeSettings } from './config/production.ts';
import {
  providerNames,
  type SocialClient,
  type SocialProvider,
  socialClients,
  socialProviders,
} from './config/social.ts';
import {
  address,
  baseUrl,
  brandColor,
  brandLogo,
  brandName,
  cataloguePaths,
  choice,
  domain,
  flag,
  fraction,
  list,
  networks,
  number,
  origins,
  otlpHeaders,
  port,
  portRanges,
  sender,
  signingKey,
  trustProxy,
  verifyKeys,
} from './config/variables.ts';
import { UPSTREAM_SETTINGS, type UpstreamSetting } from './contract/prefixes.ts';
import { passkeyFault } from './passkeys/relying-party.ts';

const everyService = {
  NODE_ENV: choice('development', 'production', 'test').default('development'),
  HOST: z.string().default('0.0.0.0'),
  METRICS_PORT: port.optional(),
  BODY_MEMORY_MB: number('a whole number of mebibytes, 2 to 4096', { min: 2, max: 4_096 }).default(64),
  LOG_LEVEL: choice('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  MONGODB_URI: address('mongodb', 'mongodb+srv').default('mongodb://127.0.0.1:27017/gatehouse'),
  JWT_SECRET: z.string({ error: 'is required and has no default' }),
  JWT_SECRET_PREVIOUS: z.string().optional(),
  CORS_ORIGINS: origins.optional(),
  TRUST_PROXY: trustProxy.default(false),
  /** Where traces are sent (tracing/start.ts). */
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: otlpHeaders.default({}),
  OTEL_TRACES_SAMPLER_ARG: fraction.default(1),
};

const sessions = {
  SESSION_MAX_HOURS: number('a whole number of hours, 1 or more', { min: 1 }).default(24),
  /** Longer has no effect: no token lives longer. */
  SESSION_IDLE_MINUTES: number('a whole number of minutes, 1 to 60', { min: 1, max: 60 }).default(60),
};

/** The address for clients, and what passkeys are bound to; see passkeys/relying-party.ts beside this file. */
const publicAddress = {
  PUBLIC_URL: baseUrl.default('http://localhost:8000'),
  PASSKEY_RP_ID: domain.optional(),
  PASSKEY_ORIGINS: origins.optional(),
};

/** How passwords are stored; `PASSWORD_STORAGE_ACKNOWLEDGED` states that plain ones in production are intended. */
const passwordStorage = {
  PASSWORD_STORAGE: choice('argon2id', 'plain').default('argon2id'),
  PASSWORD_STORAGE_ACKNOWLEDGED: choice('1').optional(),
};

/** Where people log in without an organization; `.env.example` names the settings of each. */
const social = { SOCIAL_PROVIDERS: providerNames.default([]) };
/** Whether people can log in with a mailed code. */
const loginByCode = { LOGIN_BY_CODE: flag.default(false) };

/** The system that people move from; the login service reads only whether there is one. */
const legacyLogin = {
  LEGACY_LOGIN_URL: address('http', 'https').optional(),
};

const hourly = number('a whole number, 1 to 1000', { min: 1, max: 1_000 });

const brand = {
  BRAND_NAME: brandName,
  BRAND_LOGO_URL: brandLogo.optional(),
  BRAND_COLOR: brandColor,
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
    /** With an https address, browsers are told to use nothing else. */
    ...publicAddress,
    LOGIN_SERVICE_URL: address('http', 'https').default('http://127.0.0.1:8001'),
    USER_SERVICE_URL: address('http', 'https').default('http://127.0.0.1:8002'),
    REDIS_URL: address('redis', 'rediss').optional(),
    CAPTCHA_PROVIDER: choice('recaptcha', 'hcaptcha', 'turnstile', 'altcha', 'none').default('altcha'),
    CAPTCHA_SECRET: z.string().default(''),
    CAPTCHA_SITE_KEY: z.string().optional(),
    CAPTCHA_ON_CATALOGUE_LOGIN: choice('after-failures', 'always', 'never').default('after-failures'),
    CAPTCHA_MIN_SCORE: fraction.default(0.5),
    CAPTCHA_VERIFY_URL: address('http', 'https').optional(),
    CAPTCHA_HOSTNAMES: list.optional(),
    CAPTCHA_ACTION: z.string().optional(),
    RATE_LIMIT: flag.default(true),
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: number('a whole number, 1 or more', { min: 1 }).default(300),
    RATE_LIMIT_V2_PER_MINUTE: number('a whole number, 1 or more', { min: 1 }).default(300),
    /** What the sign-in page asks for first. */
    SIGN_IN_FORM: choice('password', 'email-first').default('password'),
    ...loginByCode,
    /** Whether the gateway serves the operators' console at /admin. */
    ADMIN_CONSOLE: flag.default(false),
    /** Whose pages may use the session cookie, besides those of PUBLIC_URL. */
    COOKIE_ORIGINS: origins.default([]),
    PRINCIPAL_CACHE_MS: number('milliseconds, 0 to 1000', { min: 0, max: 1_000 }).default(1_000),
    ...brand,
    ...social,
    PUBLIC_CALLBACK_PATHS: cataloguePaths.default(['/api/v1/payment/webhook']),
    ...upstreams,
  }),
  login: z.object({
    ...everyService,
    /** Signs the days of the audit chain; no other process has it. */
    AUDIT_SIGNING_KEY: signingKey.optional(),
    /** The public keys that have signed them, also earlier ones. */
    AUDIT_VERIFY_KEY: verifyKeys.optional(),
    LOGIN_PORT: port.default(8001),
    ...sessions,
    ...passwordStorage,
    ...publicAddress,
    ...legacyLogin,
    /** Asks identity providers whether a session may continue, and the system that people move from. */
    USER_SERVICE_URL: address('http', 'https').default('http://127.0.0.1:8002'),
  }),
  user: z.object({
    ...everyService,
    /** Where audit events are sent, as OTLP logs and as a signed webhook. */
    AUDIT_STREAM_OTLP_URL: address('http', 'https').optional(),
    AUDIT_STREAM_OTLP_HEADERS: otlpHeaders.optional(),
    AUDIT_STREAM_WEBHOOK_URL: address('http', 'https').optional(),
    AUDIT_STREAM_WEBHOOK_SECRET: z.string().optional(),
    USER_PORT: port.default(8002),
    ...sessions,
    ...passwordStorage,
    ...loginByCode,
    /** A file in MaxMind's format, which tells the approximate place of a session. */
    GEOIP_DATABASE: z.string().optional(),
    /** Which new passwords are accepted (CONTRACT.md §Passwords). */
    PASSWORD_POLICY: choice('none', 'nist').default('none'),
    PASSWORD_BREACH_URL: baseUrl.optional(),
    ...legacyLogin,
    LEGACY_LOGIN_TOKEN: z.string().optional(),
    SSO_SESSION_HOURS: number('a whole number of hours, 1 or more', { min: 1 }).default(8),
    SMTP_URL: address('smtp', 'smtps').default('smtp://127.0.0.1:1025'),
    MAIL_FROM: sender.default('Gatehouse <no-reply@localhost>'),
    /** Each is counted in a list of this length, and 16 times it for an IPv6 /48. */
    MAILS_PER_NETWORK_PER_HOUR: hourly.default(30),
    MAILS_PER_MAILBOX_PER_HOUR: hourly.default(10),
    ACTIVATIONS_PER_NETWORK_PER_HOUR: hourly.default(20),
    /** Days in which a login restores an account whose person has asked to delete it. */
    ACCOUNT_DELETION_DAYS: number('a whole number of days, 0 to 365', { min: 0, max: 365 }).default(14),
    /** Also the gateway's URL in mails. */
    ...publicAddress,
    ...brand,
    WEBHOOK_ALLOW_PRIVATE: flag.default(false),
    WEBHOOK_PORTS: portRanges.default([
      [80, 80],
      [443, 443],
      [8_000, 9_999],
    ]),
    /** Longer than the three days for which a delivery is retried. */
    WEBHOOK_RETENTION_DAYS: number('a whole number of days, 4 to 400', { min: 4, max: 400 }).default(30),
    WEBHOOK_SECRET_KEY: z.string().optional(),
    WEBHOOK_SECRET_KEY_PREVIOUS: z.string().optional(),
    INTERNAL_API_KEY: z.string().optional(),
    /** Whether a second operator approves the deletion of a person, new admins and full support sessions. */
    ADMIN_APPROVALS: flag.default(false),
    /** Networks in which identity providers may be, besides public addresses. */
    SSO_ALLOWED_NETWORKS: networks.default([]),
    ...social,
  }),
};

/** The settings of `npm start`. A configured database or mail server is used instead of starting one. */
const standalone = z.object({
  NODE_ENV: everyService.NODE_ENV,
  DATA_DIR: z.string().default('.gatehouse'),
  GATEWAY_PORT: port.default(8000),
  LOGIN_PORT: port.default(8001),
  USER_PORT: port.default(8002),
  STANDALONE_MONGO_PORT: port.default(27017),
  STANDALONE_SMTP_PORT: port.default(1025),
  STANDALONE_MAILBOX_PORT: port.default(8025),
  STANDALONE_PRACTICE_PORT: port.default(8090),
  STANDALONE_PRACTICE_LDAP_PORT: port.default(3890),
  MONGODB_URI: everyService.MONGODB_URI.unwrap().optional(),
  SMTP_URL: services.user.shape.SMTP_URL.unwrap().optional(),
  JWT_SECRET: z.string().optional(),
  CAPTCHA_SECRET: z.string().optional(),
});

type Services = typeof services;
export type Service = keyof Services;
/** The providers in SOCIAL_PROVIDERS. Only the user service has their credentials. */
interface Social {
  gateway: { SOCIAL: readonly SocialProvider[] };
  login: unknown;
  user: { SOCIAL: readonly SocialClient[] };
}
export type Config<S extends Service = Service> = z.infer<Services[S]> & Social[S];
export type GatewayConfig = Config<'gateway'>;
export type StandaloneConfig = z.infer<typeof standalone>;

/** Returns the names of the variables that a service reads; `.env.example` explains each. */
export const variablesOf = (service: Service): string[] => Object.keys(services[service].shape);

/** The environment is invalid. The message has one line per variable. */
export class ConfigError extends Error {}

/**
 * Reads the settings of a service. An empty variable counts as unset. `warnings` lists what production refuses; in
 * production it lists what is accepted but risky.
 * @throws {ConfigError} naming every invalid or missing variable, without its value.
 */
export function loadConfig<S extends Service>(
  service: S,
  env: NodeJS.ProcessEnv = process.env,
): { config: Config<S>; warnings: string[] } {
  const settings = parse<Config<S>>(services[service], env);
  const config = { ...settings, ...socialOf(service, settings, env) };
  const unsafe = unsafeSettings(config);
  if ('CAPTCHA_SECRET' in config && config.CAPTCHA_PROVIDER !== 'none' && config.CAPTCHA_SECRET === '') {
    throw new ConfigError(`CAPTCHA_SECRET is required with CAPTCHA_PROVIDER=${config.CAPTCHA_PROVIDER}`);
  }
  if ('PASSWORD_BREACH_URL' in config && config.PASSWORD_BREACH_URL && config.PASSWORD_POLICY !== 'nist')
    throw new ConfigError('PASSWORD_BREACH_URL needs PASSWORD_POLICY=nist');
  const { LEGACY_LOGIN_URL, LEGACY_LOGIN_TOKEN } = config as Partial<Config<'user'>>;
  if (service === 'user' && !LEGACY_LOGIN_URL !== !LEGACY_LOGIN_TOKEN)
    throw new ConfigError('LEGACY_LOGIN_URL and LEGACY_LOGIN_TOKEN need each other');
  if (
    'AUDIT_STREAM_WEBHOOK_URL' in config &&
    config.AUDIT_STREAM_WEBHOOK_URL &&
    !config.AUDIT_STREAM_WEBHOOK_SECRET
  )
    throw new ConfigError('AUDIT_STREAM_WEBHOOK_SECRET is required with AUDIT_STREAM_WEBHOOK_URL');
  if ('CAPTCHA_ACTION' in config) refuseImpossibleAction(config);
  const fault = passkeyFault(config);
  const asked = config.PASSKEY_RP_ID !== undefined || config.PASSKEY_ORIGINS !== undefined;
  if (fault && asked) throw new ConfigError(fault);
  const isTold = unsafe.some((line) => line.startsWith('PUBLIC_URL '));
  const off = fault && !isTold ? [`${fault}. Passkeys are off`] : [];
  if (config.NODE_ENV !== 'production') return { config, warnings: [...unsafe, ...off] };
  if (unsafe.length > 0) throw new ConfigError(unsafe.join('\n'));
  return { config, warnings: [...riskySettings(config), ...off] };
}

/** @throws {ConfigError} when the settings of a provider are missing or invalid. */
function socialOf(service: Service, settings: object, env: NodeJS.ProcessEnv): object {
  if (!('SOCIAL_PROVIDERS' in settings)) return {};
  const names = settings.SOCIAL_PROVIDERS as string[];
  if (service === 'gateway') return { SOCIAL: socialProviders(names, env) };
  const refusals: string[] = [];
  const SOCIAL = socialClients(names, env, (line) => void refusals.push(line));
  if (refusals.length > 0) throw new ConfigError(refusals.join('\n'));
  return { SOCIAL };
}

/** Refuses an action that no token can have: every login would fail. @throws {ConfigError} */
function refuseImpossibleAction({
  CAPTCHA_PROVIDER,
  CAPTCHA_ACTION,
  CAPTCHA_SITE_KEY,
}: Pick<GatewayConfig, 'CAPTCHA_PROVIDER' | 'CAPTCHA_ACTION' | 'CAPTCHA_SITE_KEY'>): void {
  const refuse = (reason: string): never => {
    throw new ConfigError(`CAPTCHA_ACTION ${reason}`);
  };
  if (CAPTCHA_ACTION === undefined) return;
  if (CAPTCHA_PROVIDER === 'hcaptcha')
    refuse('cannot be checked with CAPTCHA_PROVIDER=hcaptcha: its tokens have none');
  if (CAPTCHA_PROVIDER === 'recaptcha' && CAPTCHA_SITE_KEY !== undefined)
    refuse(
      'cannot be checked with a CAPTCHA_SITE_KEY of reCAPTCHA: the account pages show version 2, whose tokens have none',
    );
  if (CAPTCHA_PROVIDER === 'turnstile' && !/^[\w-]{1,32}$/.test(CAPTCHA_ACTION))
    refuse('must be 1 to 32 letters, digits, _ or - with CAPTCHA_PROVIDER=turnstile');
}

/** Reads the settings of `npm start`. @throws {ConfigError} */
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
