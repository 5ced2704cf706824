import ipaddr from 'ipaddr.js';

/** The key that a client address is counted by: an IPv4 address, or an IPv6 /64, which is one household or host. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
