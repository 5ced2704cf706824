import ipaddr from 'ipaddr.js';

/** What one client is counted by: an IPv4 address, or the /64 that a household or machine has of IPv6. */
export function addressKey(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
