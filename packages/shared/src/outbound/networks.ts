import { BlockList, isIP } from 'node:net';

/** Returns a function that tells whether an IP address, IPv4-mapped or not, is in one of the CIDR ranges. */
export function networkCheck(ranges: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/');
    list.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return (address) => list.check(address.replace(/%.*$/, ''), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
