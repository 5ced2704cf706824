import { emailKey, isPlainAddress } from '@gatehouse/shared/identity/email';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

/** Returns a domain of exactly `length` characters. */
const domain = (length: number) => {
  const labels = 'a'.repeat(length).replaceAll(/a{63}a/g, `${'a'.repeat(63)}.`);
  return labels.endsWith('.') ? `${labels.slice(0, -2)}.a` : labels;
};

describe('isPlainAddress', () => {
  test.each([
    'ada@example.com',
    'Ada.Lovelace@Example.COM',
    'ada+tag@example.com',
    "o'hara@example.com",
    "!#$%&'*+/=?^_`{|}~-@example.com",
    'a.b.c.d@example.com',
    '1@2.3',
    'a@b',
    'ada@localhost',
    'ada@xn--bcher-kva.example',
    'ada@sub-domain.example.com',
    'ada@127.0.0.1',
    '-ada@example.com',
    `${'a'.repeat(64)}@example.com`,
    `ada@${'a'.repeat(63)}.com`,
    `${'a'.repeat(64)}@${domain(254 - 65)}`,
  ])('%s is accepted', (address) => {
    expect(isPlainAddress(address)).toBe(true);
  });

  test.each<[string, string]>([
    ['nothing', ''],
    ['no @', 'ada.example.com'],
    ['@ alone', '@'],
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['two @', 'ada@b@example.com'],
    ['two @ in a row', 'ada@@example.com'],
    ['a list', 'ada@example.com,bob@example.com'],
    ['a list with spaces', 'ada@example.com, bob@example.com'],
    ['a list with semicolons', 'ada@example.com;bob@example.com'],
    ['a name and an address', 'Ada <ada@example.com>'],
    ['angle brackets', '<ada@example.com>'],
    ['a group', 'friends: ada@example.com;'],
    ['a comment in the local part', 'ada(comment)@example.com'],
    ['a comment in the domain', 'ada@(comment)example.com'],
    ['a comment at the end', 'ada@example.com (Ada)'],
    ['a quoted local part', '"ada"@example.com'],
    ['a quoted @', '"a@b"@example.com'],
    ['a route', '@relay.example:ada@example.com'],
    ['a bang path', 'relay.example!ada'],
    ['a backslash', 'a\\da@example.com'],
    ['a space before', ' ada@example.com'],
    ['a space after', 'ada@example.com '],
    ['a space inside', 'a da@example.com'],
    ['a tab', 'ada\t@example.com'],
    ['a line feed at the end', 'ada@example.com\n'],
    ['an injected header', 'ada@example.com\r\nBcc: bob@example.com'],
    ['a line feed in the local part', 'ada\n@example.com'],
    ['NUL', 'ada\0@example.com'],
    ['DEL', 'ada\x7f@example.com'],
    ['a dot first', '.ada@example.com'],
    ['a dot last', 'ada.@example.com'],
    ['two dots', 'a..da@example.com'],
    ['a dot before the domain', 'ada@.example.com'],
    ['a dot after the domain', 'ada@example.com.'],
    ['two dots in the domain', 'ada@example..com'],
    ['a domain of dots', 'ada@.'],
    ['a hyphen first in a label', 'ada@-example.com'],
    ['a hyphen last in a label', 'ada@example-.com'],
    ['an underscore in the domain', 'ada@ex_ample.com'],
    ['an address literal', 'ada@[127.0.0.1]'],
    ['an IPv6 literal', 'ada@[IPv6:::1]'],
    ['a port', 'ada@example.com:25'],
    ['a percent-encoded domain', 'ada@example%2ecom'],
    ['umlauts in the local part', 'müller@example.com'],
    ['umlauts in the domain', 'ada@bücher.example'],
    ['the Kelvin sign', '\u212Aate@example.com'],
    ['the Kelvin sign in the domain', 'ada@\u212A.example'],
    ['the long s', 'ada@\u017Fhop.example'],
    ['a dotless i', 'ada@l\u0131nux.example'],
    ['a full-width letter', '\uFF41da@example.com'],
    ['a full-width @', 'ada\uFF20example.com'],
    ['an ideographic full stop', 'ada@example\u3002com'],
    ['a zero-width space', 'ada\u200B@example.com'],
    ['a byte order mark', '\uFEFFada@example.com'],
    ['a right-to-left override', 'ada\u202E@example.com'],
    ['65 characters before the @', `${'a'.repeat(65)}@example.com`],
    ['a label of 64 characters', `ada@${'a'.repeat(64)}.com`],
    ['255 characters', `${'a'.repeat(64)}@${domain(255 - 65)}`],
  ])('%s is refused', (_what, address) => {
    expect(isPlainAddress(address)).toBe(false);
  });

  test('the longest address that is accepted has 254 characters', () => {
    expect(`${'a'.repeat(64)}@${domain(254 - 65)}`).toHaveLength(254);
    expect(`${'a'.repeat(64)}@${domain(255 - 65)}`).toHaveLength(255);
  });

  test('accepts only ASCII without white space, control characters or a second @', () => {
    const almost = fc.string({ unit: fc.constantFrom(...'aB1.-@ ,;:<>()"\\\r\n\t\0\u212Aé'), maxLength: 20 });
    fc.assert(
      fc.property(fc.oneof(almost, fc.string({ unit: 'grapheme' })), (text) => {
        if (isPlainAddress(text)) expect(text).toMatch(/^[!-?A-~]+@[A-Za-z0-9.-]+$/);
      }),
      { numRuns: 5_000 },
    );
  });

  // A pattern that backtracks exponentially would not finish before the timeout of the test.
  test.each([
    `${'a.'.repeat(50_000)}@b`,
    `a@${'a-'.repeat(50_000)}`,
    '@'.repeat(100_000),
    `${'a.'.repeat(32)}@b`,
    `a@${'a-'.repeat(120)}`,
    `a@${'a.'.repeat(120)}-`,
  ])('hostile address %$ is refused', (text) => {
    expect(isPlainAddress(text)).toBe(false);
  });
});

describe('emailKey', () => {
  test.each([
    ['ada@example.com', 'ada@example.com'],
    ['Ada.LOVELACE@Example.COM', 'ada.lovelace@example.com'],
    ['AZaz09@X', 'azaz09@x'],
    // toLowerCase and a collation would also fold these.
    ['\u212Aate@example.com', '\u212Aate@example.com'],
    ['\uFF21da@example.com', '\uFF21da@example.com'],
    ['İ@example.com', 'İ@example.com'],
    ['MÜLLER@example.com', 'mÜller@example.com'],
    ['stra\u1E9Ee@example.com', 'stra\u1E9Ee@example.com'],
    ['', ''],
  ])('%s → %s', (email, key) => {
    expect(emailKey(email)).toBe(key);
  });

  test('is idempotent and keeps the length', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
        (text) => {
          expect(emailKey(emailKey(text))).toBe(emailKey(text));
          expect(emailKey(text)).toHaveLength(text.length);
        },
      ),
    );
  });
});
