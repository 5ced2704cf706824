import { generateKeyPairSync } from 'node:crypto';
import { ConfigError, loadConfig } from '@gatehouse/shared/config';
import { describe, expect, it } from 'vitest';

const GOOD = { JWT_SECRET: '8f14e45fceea167a5a36dedd4bea2543', CAPTCHA_SECRET: 'tests' };

const pemOf = (namedCurve: string) =>
  generateKeyPairSync('ec', {
    namedCurve,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey;

const GOOGLE = { SOCIAL_GOOGLE_CLIENT_ID: 'gatehouse', SOCIAL_GOOGLE_CLIENT_SECRET: 'secret' };
const APPLE = {
  SOCIAL_APPLE_CLIENT_ID: 'com.example.web',
  SOCIAL_APPLE_TEAM_ID: 'TEAM',
  SOCIAL_APPLE_KEY_ID: 'KEY',
  SOCIAL_APPLE_PRIVATE_KEY: pemOf('prime256v1').replaceAll('\n', '\\n'),
};

const clients = (env: NodeJS.ProcessEnv) => loadConfig('user', { ...GOOD, ...env }).config.SOCIAL;

it('reads the providers in the order of the setting', () => {
  expect(
    clients({
      SOCIAL_PROVIDERS: 'corp-id, google',
      SOCIAL_CORP_ID_CLIENT_ID: 'us',
      SOCIAL_CORP_ID_ISSUER: 'https://id.corp.example/realms/a',
      SOCIAL_CORP_ID_LABEL: 'Corp',
      ...GOOGLE,
    }),
  ).toEqual([
    {
      name: 'corp-id',
      label: 'Corp',
      kind: 'openid',
      issuer: 'https://id.corp.example/realms/a',
      client_id: 'us',
      client_secret: null,
    },
    {
      name: 'google',
      label: 'Google',
      kind: 'google',
      issuer: 'https://accounts.google.com',
      client_id: 'gatehouse',
      client_secret: 'secret',
    },
  ]);
});

it('reads the key of Apple with written line breaks', () => {
  const [apple] = clients({ SOCIAL_PROVIDERS: 'apple', ...APPLE });
  expect(apple).toMatchObject({
    kind: 'apple',
    client_secret: null,
    apple: { team_id: 'TEAM', key_id: 'KEY' },
  });
  expect(apple?.apple?.private_key.type).toBe('private');
});

it('tells the gateway no more than names and labels', () => {
  const { config } = loadConfig('gateway', {
    ...GOOD,
    SOCIAL_PROVIDERS: 'google,github',
    SOCIAL_GITHUB_LABEL: 'Git',
    ...GOOGLE,
  });
  expect(config.SOCIAL).toEqual([
    { name: 'google', label: 'Google' },
    { name: 'github', label: 'Git' },
  ]);
});

describe('refuses', () => {
  it.each<[string, NodeJS.ProcessEnv, string]>([
    [
      'names in upper case',
      { SOCIAL_PROVIDERS: 'Google' },
      'SOCIAL_PROVIDERS must be names in lower case such as google,github, separated by commas',
    ],
    [
      'a name that comes twice',
      { SOCIAL_PROVIDERS: 'google,google', ...GOOGLE },
      'SOCIAL_PROVIDERS must name each provider once',
    ],
    [
      'an unknown provider without an issuer',
      { SOCIAL_PROVIDERS: 'gogle', SOCIAL_GOGLE_CLIENT_ID: 'us' },
      'SOCIAL_PROVIDERS names gogle, which is none of google, microsoft, apple, github, gitlab: any other OpenID provider needs SOCIAL_GOGLE_ISSUER',
    ],
    [
      'a client without id and secret',
      { SOCIAL_PROVIDERS: 'github' },
      'SOCIAL_GITHUB_CLIENT_ID is required with github in SOCIAL_PROVIDERS\nSOCIAL_GITHUB_CLIENT_SECRET is required with github in SOCIAL_PROVIDERS',
    ],
    [
      'an issuer that is no URL',
      { SOCIAL_PROVIDERS: 'google', ...GOOGLE, SOCIAL_GOOGLE_ISSUER: 'accounts.google.com' },
      'SOCIAL_GOOGLE_ISSUER must be a URL that begins with https:// or http://, without query and fragment',
    ],
    ...[pemOf('secp384r1'), 'a key'].map((SOCIAL_APPLE_PRIVATE_KEY): [string, NodeJS.ProcessEnv, string] => [
      'a key that is not of P-256',
      { SOCIAL_PROVIDERS: 'apple', ...APPLE, SOCIAL_APPLE_PRIVATE_KEY },
      'SOCIAL_APPLE_PRIVATE_KEY must be the key that Apple gave as a .p8 file: a private P-256 key in PEM, whose line breaks may be written as \\n',
    ]),
    [
      'Apple without a key',
      { SOCIAL_PROVIDERS: 'apple', SOCIAL_APPLE_CLIENT_ID: 'us' },
      'SOCIAL_APPLE_TEAM_ID is required with apple in SOCIAL_PROVIDERS\nSOCIAL_APPLE_KEY_ID is required with apple in SOCIAL_PROVIDERS\nSOCIAL_APPLE_PRIVATE_KEY is required with apple in SOCIAL_PROVIDERS',
    ],
  ])('%s', (_what, env, message) => {
    expect(() => clients(env)).toThrow(new ConfigError(message));
  });
});

describe('an issuer without TLS', () => {
  const start = (NODE_ENV: string, SOCIAL_GOOGLE_ISSUER: string) =>
    loadConfig('user', {
      ...GOOD,
      CAPTCHA_SECRET: '0c9b8a7f6e5d4c3b2a190817263544ff',
      PUBLIC_URL: 'https://accounts.example.com',
      SOCIAL_PROVIDERS: 'google',
      ...GOOGLE,
      SOCIAL_GOOGLE_ISSUER,
      NODE_ENV,
    });

  it('is refused in production: anybody on the way could log in as anybody', () => {
    expect(() => start('production', 'http://id.example.com')).toThrow(
      new ConfigError(
        'SOCIAL_GOOGLE_ISSUER is http: whoever is on the way could log in as anybody; use https; production refuses to start with it',
      ),
    );
  });

  it.each([
    ['production', 'https://id.example.com'],
    ['production', 'http://127.0.0.1:8080'],
    ['development', 'https://id.example.com'],
  ])('is no matter in %s with %s', (environment, issuer) => {
    expect(start(environment, issuer).warnings).toEqual([]);
  });

  it('is a warning elsewhere', () => {
    expect(start('development', 'http://id.example.com').warnings).toEqual([
      expect.stringMatching(/^SOCIAL_GOOGLE_ISSUER is http/),
    ]);
  });
});
