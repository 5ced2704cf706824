import { isWithin, networkOf } from '@gatehouse/shared/identity/machine-keys/networks';
import { expect, test } from 'vitest';

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['192.0.2.7/24', '192.0.2.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['2001:DB8:1::/32', '2001:db8::/32'],
  ['::ffff:192.0.2.7', '192.0.2.7/32'],
  ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
])('%s is the network %s', (text, network) => {
  expect(networkOf(text)).toBe(network);
});

test.each([
  '',
  'localhost',
  '192.0.2',
  '192.0.2.256',
  '0300.0.2.7',
  '0xC0.0.2.7',
  '192.0.2.7/33',
  '192.0.2.7/-1',
  '192.0.2.7/',
  '192.0.2.7/24/24',
  '192.0.2.7/2a',
  '2001:db8::/129',
  '::ffff:192.0.2.0/24',
  'fe80::1%eth0',
  '192.0.2.0/24 ',
])('is no network: %s', (text) => {
  expect(networkOf(text)).toBeUndefined();
});

test.each([
  ['192.0.2.7', '192.0.2.0/24', true],
  ['192.0.3.7', '192.0.2.0/24', false],
  ['::ffff:192.0.2.7', '192.0.2.0/24', true],
  ['::ffff:192.0.3.7', '192.0.2.0/24', false],
  ['192.0.2.7:51234', '192.0.2.0/24', true],
  ['2001:db8::9', '2001:db8::/32', true],
  ['2001:db9::9', '2001:db8::/32', false],
  ['[2001:db8::9]:443', '2001:db8::/32', true],
  ['192.0.2.7', '::/0', false],
  ['2001:db8::9', '0.0.0.0/0', false],
  ['unknown', '0.0.0.0/0', false],
  ['', '::/0', false],
])('%s within %s: %s', (address, network, expected) => {
  expect(isWithin(address, [network])).toBe(expected);
});

test('an address is within any of several networks', () => {
  expect(isWithin('2001:db8::9', ['192.0.2.0/24', '2001:db8::/32'])).toBe(true);
  expect(isWithin('192.0.2.7', [])).toBe(false);
});
