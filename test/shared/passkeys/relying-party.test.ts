import { ConfigError, loadConfig } from '@gatehouse/shared/config';
import { relyingPartyOf } from '@gatehouse/shared/passkeys/relying-party';
import { describe, expect, test } from 'vitest';

const GOOD = { JWT_SECRET: 'a secret that only the tests know, 32 bytes and more', CAPTCHA_SECRET: 'tests' };
const load = (env: NodeJS.ProcessEnv) => loadConfig('login', { ...GOOD, ...env });

describe('the relying party', () => {
  test.each([
    [{}, { id: 'localhost', origins: ['http://localhost:8000'] }],
    [
      { PUBLIC_URL: 'https://accounts.example.com/base' },
      { id: 'accounts.example.com', origins: ['https://accounts.example.com'] },
    ],
    [
      { PUBLIC_URL: 'https://accounts.example.com', PASSKEY_RP_ID: 'example.com' },
      { id: 'example.com', origins: ['https://accounts.example.com'] },
    ],
    [
      {
        PUBLIC_URL: 'https://accounts.example.com',
        PASSKEY_ORIGINS: 'https://accounts.example.com, https://example.org:8443',
      },
      { id: 'accounts.example.com', origins: ['https://accounts.example.com', 'https://example.org:8443'] },
    ],
    [
      { PASSKEY_RP_ID: 'app.localhost', PASSKEY_ORIGINS: 'http://app.localhost:3000' },
      { id: 'app.localhost', origins: ['http://app.localhost:3000'] },
    ],
    [{ PUBLIC_URL: 'https://intranet' }, { id: 'intranet', origins: ['https://intranet'] }],
  ])('follows from %j', (env, party) => {
    const { config, warnings } = load(env);
    expect(relyingPartyOf(config)).toEqual(party);
    expect(warnings).toEqual([]);
  });

  test.each([
    [{ PASSKEY_RP_ID: '192.0.2.1' }, 'PASSKEY_RP_ID is an IP address: passkeys need a domain'],
    [{ PASSKEY_RP_ID: '[2001:db8::1]' }, 'PASSKEY_RP_ID is an IP address: passkeys need a domain'],
    [{ PASSKEY_RP_ID: 'https://example.com' }, 'PASSKEY_RP_ID must be a domain such as example.com'],
    [{ PASSKEY_RP_ID: 'Example.com' }, 'PASSKEY_RP_ID must be a domain such as example.com'],
    [{ PASSKEY_RP_ID: 'example.com:8000' }, 'PASSKEY_RP_ID must be a domain such as example.com'],
    [
      { PASSKEY_RP_ID: 'example.com' },
      'PASSKEY_RP_ID is example.com, and the host of no origin is that domain or below it: http://localhost:8000',
    ],
    [
      { PASSKEY_RP_ID: 'example.com', PASSKEY_ORIGINS: 'https://notexample.com' },
      'PASSKEY_RP_ID is example.com, and the host of no origin is that domain or below it: https://notexample.com',
    ],
    [
      { PASSKEY_RP_ID: 'accounts.example.com', PASSKEY_ORIGINS: 'https://example.com' },
      'PASSKEY_RP_ID is accounts.example.com, and the host of no origin is that domain or below it: https://example.com',
    ],
    [
      { PASSKEY_RP_ID: 'com', PASSKEY_ORIGINS: 'https://example.com' },
      'PASSKEY_RP_ID is com, a top-level domain: passkeys need one below it',
    ],
    [
      { PASSKEY_RP_ID: 'localhost', PASSKEY_ORIGINS: 'http://app.localhost:3000' },
      'PASSKEY_RP_ID is localhost, a top-level domain: passkeys need one below it',
    ],
    [
      { PASSKEY_ORIGINS: 'http://example.com,http://localhost:8000' },
      'PASSKEY_ORIGINS holds http://example.com: passkeys need https, except at localhost',
    ],
    [
      { PASSKEY_ORIGINS: 'example.com' },
      'PASSKEY_ORIGINS must be origins such as https://app.example.com, separated by commas',
    ],
    [
      { PUBLIC_URL: 'https://192.0.2.1', PASSKEY_ORIGINS: 'https://example.com' },
      'PUBLIC_URL is an IP address: passkeys need a domain',
    ],
  ])('cannot be %j', (env, message) => {
    expect(() => load(env)).toThrow(new ConfigError(message));
  });

  test.each([
    ['https://192.0.2.1', ['PUBLIC_URL is an IP address: passkeys need a domain. Passkeys are off']],
    ['https://[2001:db8::1]', ['PUBLIC_URL is an IP address: passkeys need a domain. Passkeys are off']],
  ])('does not exist at %s, which starts with a warning', (PUBLIC_URL, expected) => {
    for (const NODE_ENV of ['development', 'production']) {
      const { config, warnings } = load({ PUBLIC_URL, NODE_ENV });
      expect(relyingPartyOf(config)).toBeUndefined();
      expect(warnings).toEqual(expected);
    }
  });
});
