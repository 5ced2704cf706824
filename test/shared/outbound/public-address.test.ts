import { isPublicAddress, NotPublicError, publicAddresses } from '@gatehouse/shared/outbound/public-address';
import { describe, expect, test } from 'vitest';

describe('isPublicAddress', () => {
  test.each(['8.8.8.8', '1.1.1.1', '172.15.0.1', '100.63.255.255', '2606:4700::1111', '::ffff:8.8.8.8'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
    },
  );

  test.each([
    ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
    ['loopback', '127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
    ['link-local, with cloud metadata services', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
    ['other metadata services', 'fd00:ec2::254', '100.100.100.200', '168.63.129.16', '::ffff:168.63.129.16'],
    ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
    ['unique local, site-local', 'fc00::1', 'fdff::1', 'fec0::1'],
    ['multicast, broadcast', '224.0.0.1', '239.255.255.255', 'ff02::1', '255.255.255.255'],
    ['reserved, benchmarking, documentation', '240.0.0.1', '198.18.0.1', '192.0.2.1', '203.0.113.1'],
    [
      'reserved, benchmarking, documentation in IPv6',
      '2001:db8::1',
      '2001:2::1',
      '100::1',
      '3fff::1',
      '5f00::1',
      '4000::1',
    ],
    ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:169.254.169.254', '::127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1'],
    ['6to4, Teredo', '2002:7f00:1::1', '2002:808:808::1', '2001::1', '2001:0:808:808::1'],
    ['ISATAP', '2606:4700::5efe:7f00:1', '2606:4700::200:5efe:10.0.0.1'],
    ['not an address', '', 'localhost', '127.1', '0x7f000001', '2130706433', '8.8.8.8.8', '1.1.1.1/8'],
  ])('rejects %s', (_what, ...addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});

describe('publicAddresses', () => {
  const names: Record<string, string[]> = {
    'public.example': ['8.8.8.8', '2606:4700::1111'],
    'rebound.example': ['8.8.8.8', '10.0.0.1'],
    'nothing.example': [],
  };
  const resolve = async (name: string) => names[name] ?? Promise.reject(new Error('ENOTFOUND'));

  test('returns every address of a name if all are public', async () => {
    expect(await publicAddresses('public.example', resolve)).toEqual(names['public.example']);
    expect(await publicAddresses('8.8.8.8', resolve)).toEqual(['8.8.8.8']);
    expect(await publicAddresses('[2606:4700::1111]', resolve)).toEqual(['2606:4700::1111']);
  });

  test.each([
    'rebound.example',
    'nothing.example',
    '[::1]',
    '127.0.0.1',
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'printer.local',
    'metadata.google.internal',
    'router.home.arpa',
  ])('rejects %s', async (host) => {
    await expect(publicAddresses(host, resolve)).rejects.toThrow(NotPublicError);
  });

  test('rejects with the cause for a name that does not resolve', async () => {
    await expect(publicAddresses('unknown.example', resolve)).rejects.toThrow('ENOTFOUND');
  });
});
