const MIN_SECRET_BYTES = 32;

type Settings = Record<string, unknown>;

const isShort = (secret: unknown) =>
  typeof secret === 'string' && Buffer.byteLength(secret) < MIN_SECRET_BYTES;

/** Settings that production refuses: the variable, the condition and the reason. */
const UNSAFE: [variable: string, isUnsafe: (config: Settings) => boolean, reason: string][] = [
  ...[
    'JWT_SECRET',
    'JWT_SECRET_PREVIOUS',
    'WEBHOOK_SECRET_KEY',
    'WEBHOOK_SECRET_KEY_PREVIOUS',
    'INTERNAL_API_KEY',
  ].map((secret): (typeof UNSAFE)[number] => [
    secret,
    (config) => isShort(config[secret]),
    `is shorter than ${MIN_SECRET_BYTES} bytes`,
  ]),
  [
    'CAPTCHA_SECRET',
    (config) => config.CAPTCHA_PROVIDER === 'altcha' && isShort(config.CAPTCHA_SECRET),
    `is shorter than ${MIN_SECRET_BYTES} bytes`,
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

/** Returns one line for each unsafe setting. */
export const unsafeSettings = (config: Settings): string[] =>
  UNSAFE.filter(([, isUnsafe]) => isUnsafe(config)).map(
    ([variable, , reason]) => `${variable} ${reason}; production refuses to start with it`,
  );

/** Returns one line for each setting that production accepts with a warning. */
export const riskySettings = (config: Settings): string[] =>
  config.RATE_LIMIT === false ? ['RATE_LIMIT is off: calls are not limited'] : [];
