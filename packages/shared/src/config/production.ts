import { variableOf } from './social.ts';

const MIN_SECRET_BYTES = 32;

/** Bits of entropy; 128 random bits in hex never look like less. */
const MIN_ENTROPY = 80;

type Settings = Record<string, unknown>;

const isShort = (secret: unknown) =>
  typeof secret === 'string' && Buffer.byteLength(secret) < MIN_SECRET_BYTES;

/** Secrets of our own; CAPTCHA_SECRET is one with ALTCHA only. */
const SECRETS = [
  'JWT_SECRET',
  'JWT_SECRET_PREVIOUS',
  'WEBHOOK_SECRET_KEY',
  'INTERNAL_API_KEY',
  'AUDIT_STREAM_WEBHOOK_SECRET',
  'LEGACY_LOGIN_TOKEN',
  'CAPTCHA_SECRET',
];

const ownSecret = (config: Settings, variable: string): unknown =>
  variable === 'CAPTCHA_SECRET' && config.CAPTCHA_PROVIDER !== 'altcha' ? undefined : config[variable];

/** Whether a secret that is long enough repeats itself or few characters. It says nothing about words. */
function isGuessable(secret: unknown): boolean {
  if (typeof secret !== 'string' || isShort(secret)) return false;
  const period = `${secret}${secret}`.indexOf(secret, 1);
  const unit = [...secret.slice(0, period)];
  const counts = new Map<string, number>();
  for (const character of unit) counts.set(character, (counts.get(character) ?? 0) + 1);
  const bits = [...counts.values()].reduce((sum, count) => sum - count * Math.log2(count / unit.length), 0);
  return bits < MIN_ENTROPY;
}

/** Over the network without TLS. The loopback address is for trying the container out. */
const isPlainHttp = (value: unknown): boolean => {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url?.protocol === 'http:' && !/^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
};

/** Settings that production refuses: the variable, the condition and the reason. */
const UNSAFE: [variable: string, isUnsafe: (config: Settings) => boolean, reason: string][] = [
  ...SECRETS.flatMap((secret, index): typeof UNSAFE => [
    [secret, (config) => isShort(ownSecret(config, secret)), `is shorter than ${MIN_SECRET_BYTES} bytes`],
    [
      secret,
      (config) => isGuessable(ownSecret(config, secret)),
      'repeats itself or few characters: use random text, as from openssl rand -hex 32',
    ],
    ...SECRETS.slice(0, index).map((other): (typeof UNSAFE)[number] => [
      secret,
      (config) => config[secret] !== undefined && config[secret] === config[other],
      `equals ${other}: give each secret a value of its own`,
    ]),
  ]),
  // It only decrypts: whoever leaves a guessable key behind needs it here once.
  [
    'WEBHOOK_SECRET_KEY_PREVIOUS',
    (config) => isShort(config.WEBHOOK_SECRET_KEY_PREVIOUS),
    `is shorter than ${MIN_SECRET_BYTES} bytes`,
  ],
  [
    'PUBLIC_URL',
    ({ PUBLIC_URL }) => isPlainHttp(PUBLIC_URL),
    'is http: links in mails would open without TLS; use https',
  ],
  [
    'CAPTCHA_VERIFY_URL',
    ({ CAPTCHA_VERIFY_URL }) => isPlainHttp(CAPTCHA_VERIFY_URL),
    'is http: the secret would be sent without TLS; use https',
  ],
  [
    'LEGACY_LOGIN_URL',
    ({ LEGACY_LOGIN_URL }) => isPlainHttp(LEGACY_LOGIN_URL),
    'is http: passwords would be sent without TLS; use https',
  ],
  ['CAPTCHA_PROVIDER', (config) => config.CAPTCHA_PROVIDER === 'none', 'is none: logins are not protected'],
  [
    'WEBHOOK_ALLOW_PRIVATE',
    (config) => config.WEBHOOK_ALLOW_PRIVATE === true,
    'is on: webhooks can reach the internal network',
  ],
  [
    'SSO_ALLOWED_NETWORKS',
    ({ SSO_ALLOWED_NETWORKS: ranges }) =>
      Array.isArray(ranges) && ranges.some((range) => /\/0+$/.test(range)),
    'allows every address: single sign-on can reach the internal network; name the networks of identity providers',
  ],
  [
    'ACCOUNT_DELETION_DAYS',
    (config) => config.ACCOUNT_DELETION_DAYS === 0,
    'is 0: accounts would be deleted at once, and no login could restore them',
  ],
  [
    'TRUST_PROXY',
    (config) => config.TRUST_PROXY === true,
    'is true: every client can forge its address; name the addresses of the proxies',
  ],
  [
    'PASSWORD_STORAGE',
    (config) => config.PASSWORD_STORAGE === 'plain' && config.PASSWORD_STORAGE_ACKNOWLEDGED !== '1',
    'is plain without PASSWORD_STORAGE_ACKNOWLEDGED=1: passwords are stored as submitted',
  ],
];

/** The issuers of social login that are reached over the network without TLS. */
const plainIssuers = ({ SOCIAL = [] }: { SOCIAL?: readonly { name: string; issuer?: string }[] }) =>
  SOCIAL.filter(({ issuer }) => isPlainHttp(issuer)).map(
    ({ name }) =>
      [
        variableOf(name, 'ISSUER'),
        'is http: whoever is on the way could log in as anybody; use https',
      ] as const,
  );

/** Returns one line for each unsafe setting. */
export const unsafeSettings = (config: Settings): string[] =>
  [
    ...UNSAFE.filter(([, isUnsafe]) => isUnsafe(config)).map(
      ([variable, , reason]) => [variable, reason] as const,
    ),
    ...plainIssuers(config),
  ].map(([variable, reason]) => `${variable} ${reason}; production refuses to start with it`);

/** Returns one line for each setting that production accepts with a warning. */
export const riskySettings = (config: Settings): string[] => [
  ...(config.RATE_LIMIT === false ? ['RATE_LIMIT is off: calls are not limited'] : []),
  ...['AUDIT_STREAM_OTLP_URL', 'AUDIT_STREAM_WEBHOOK_URL']
    .filter((variable) => isPlainHttp(config[variable]))
    .map((variable) => `${variable} is http: audit events are sent without TLS`),
];
