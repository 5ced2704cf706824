import ipaddr from 'ipaddr.js';

/** An address as some proxies write it in X-Forwarded-For: `203.0.113.7:51234` or `[2001:db8::1]:51234`. */
const WITH_PORT = /^(?:\[(?<v6>.+)\]|(?<v4>[\d.]+))(?::\d+)?$/;

/** The key that a client address is counted by: an IPv4 address, or an IPv6 /64, which is one household or host. */
export function addressKey(address: string): string {
  const { v6, v4 } = WITH_PORT.exec(address)?.groups ?? {};
  const host = v6 ?? v4 ?? address;
  if (!ipaddr.isValid(host)) return address;
  const parsed = ipaddr.process(host);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
