import { addressKey, isLoopback, networksOf } from '@gatehouse/shared/http/address';
import { expect, test } from 'vitest';

test.each<[address: string, key: string]>([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8:1:2::1]:51234', '2001:db8:1:2::/64'],
  ['[::ffff:203.0.113.7]:51234', '203.0.113.7'],
  ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
  ['unknown', 'unknown'],
])('%s is counted as %s', (address, key) => {
  expect(addressKey(address)).toBe(key);
});

test.each<[address: string, keys: string[]]>([
  ['203.0.113.7', ['203.0.113.7']],
  ['::ffff:203.0.113.7', ['203.0.113.7']],
  ['unknown', ['unknown']],
  ['2001:db8:1:2345::1', ['2001:db8:1:2345::/64', '2001:db8:1:2300::/56', '2001:db8:1::/48']],
  ['2001:db8:1:ff::1', ['2001:db8:1:ff::/64', '2001:db8:1:0::/56', '2001:db8:1::/48']],
  ['[2001:db8:0:ffff::1]:443', ['2001:db8:0:ffff::/64', '2001:db8:0:ff00::/56', '2001:db8:0::/48']],
])('the networks of %s are %j, with 1, 4 and 16 times the limit', (address, keys) => {
  const shares = [1, 4, 16];
  expect(networksOf(address)).toEqual(keys.map((key, index) => ({ key, share: shares[index] })));
});

test.each<[address: string, loopback: boolean]>([
  ['127.0.0.1', true],
  ['127.255.0.9', true],
  ['::1', true],
  ['::ffff:127.0.0.1', true],
  ['[::1]:8000', true],
  ['128.0.0.1', false],
  ['10.0.0.1', false],
  ['::2', false],
  ['localhost', false],
])('whether %s is on this machine: %s', (address, loopback) => {
  expect(isLoopback(address)).toBe(loopback);
});
