import { createOutbound } from '@gatehouse/shared/outbound/outbound';
import fc from 'fast-check';
import { EqualityFilter, FilterParser } from 'ldapts';
import { describe, expect, test } from 'vitest';
import { directoryAddresses, parseLdapUrl } from '../../../packages/sso/ldap/endpoint.ts';
import { escapeDn, escapeFilter, fillIn } from '../../../packages/sso/ldap/escape.ts';
import { testConfig } from '../../fixtures/services.ts';

describe('escapeFilter', () => {
  test.each([
    ['*)(uid=*', '\\2a\\29\\28uid=\\2a'],
    ['a\\b', 'a\\5cb'],
    ['a\0', 'a\\00'],
    ['Zoë', 'Zoë'],
  ])('escapes %j as RFC 4515 §3 does', (value, escaped) => {
    expect(escapeFilter(value)).toBe(escaped);
  });

  test('keeps every value a value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        const filter = FilterParser.parseString(fillIn('(uid={username})', value, escapeFilter));
        expect(filter).toBeInstanceOf(EqualityFilter);
        expect((filter as EqualityFilter).value.toString()).toBe(value);
      }),
    );
  });
});

describe('escapeDn', () => {
  test.each([
    ['a,dc=x', 'a\\2cdc\\3dx'],
    ['a+b"c\\d<e>f;g', 'a\\2bb\\22c\\5cd\\3ce\\3ef\\3bg'],
    [' a ', '\\20a\\20'],
    ['#6164', '\\236164'],
    ['a\0', 'a\\00'],
    ['Zoë K', 'Zoë K'],
  ])('escapes %j as RFC 4514 §2.4 does', (value, escaped) => {
    expect(escapeDn(value)).toBe(escaped);
  });

  test('leaves no character that ends a value', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(escapeDn(value).replaceAll(/\\[0-9a-f]{2}/g, 'x')).not.toMatch(/[,+"\\<>;=\0]|^[ #]/);
      }),
    );
  });
});

test('a user name is put into a template once, whatever it holds', () => {
  expect(fillIn('(uid={username})', '{username}$&', escapeFilter)).toBe('(uid={username}$&)');
});

describe('parseLdapUrl', () => {
  test.each([
    ['ldap://ldap.example.com', { host: 'ldap.example.com', port: 389, isLdaps: false }],
    ['LDAPS://LDAP.example.com/', { host: 'ldap.example.com', port: 636, isLdaps: true }],
    ['ldaps://[fd00::1]:3269', { host: 'fd00::1', port: 3269, isLdaps: true }],
    ['ldap://2130706433', { host: '127.0.0.1', port: 389, isLdaps: false }],
  ])('%s', (text, endpoint) => {
    expect(parseLdapUrl(text)).toEqual(endpoint);
  });

  test.each([
    'ldap://',
    'ldap://a/dc=x',
    'ldap://a?b',
    'ldap://u@a',
    'ldap://a:99999',
    'ldap://a b',
    'ldapi://a',
    'ldap:a',
  ])('refuses %s', (text) => {
    expect(parseLdapUrl(text)).toBeUndefined();
  });
});

describe('directoryAddresses in production', () => {
  const outbound = (networks: string) => {
    const config = testConfig('user', {
      NODE_ENV: 'production',
      SMTP_URL: 'smtps://mail.example',
      SSO_ALLOWED_NETWORKS: networks,
    });
    return { config, outbound: createOutbound(config) };
  };
  const at = (url: string) => parseLdapUrl(url) as NonNullable<ReturnType<typeof parseLdapUrl>>;

  test('refuses a public directory without TLS', async () => {
    const options = outbound('');
    const clear = directoryAddresses(options, at('ldap://93.184.215.14'), { start_tls: false });
    await expect(clear).rejects.toThrow('the address is not public');
    for (const [url, start_tls] of [
      ['ldap://93.184.215.14', true],
      ['ldaps://93.184.215.14', false],
    ] as const)
      expect(await directoryAddresses(options, at(url), { start_tls })).toEqual(['93.184.215.14']);
  });

  test('accepts one without TLS in a network that the operator allows', async () => {
    const options = outbound('10.0.0.0/8');
    expect(await directoryAddresses(options, at('ldap://10.1.2.3'), { start_tls: false })).toEqual([
      '10.1.2.3',
    ]);
  });
});
