import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** An address as some proxies write it in X-Forwarded-For: `203.0.113.7:51234` or `[2001:db8::1]:51234`. */
const WITH_PORT = /^(?:\[(?<v6>.+)\]|(?<v4>[\d.]+))(?::\d+)?$/;

/** Characters. Longer ones are no address but what a client wrote into X-Forwarded-For. */
const MAX_REMEMBERED = 64;
/** The keys of the latest addresses: one is needed for every request. */
const keys = new LRUCache<string, string>({ max: 10_000, memoMethod: keyOf });

/** The key that a client address is counted by: an IPv4 address, or an IPv6 /64, which is one household or host. */
export const addressKey = (address: string): string =>
  address.length <= MAX_REMEMBERED ? keys.memo(address) : keyOf(address);

function keyOf(address: string): string {
  const { v6, v4 } = WITH_PORT.exec(address)?.groups ?? {};
  const host = v6 ?? v4 ?? address;
  if (!ipaddr.isValid(host)) return address;
  const parsed = ipaddr.process(host);
  return parsed.kind() === 'ipv4'
    ? parsed.toString()
    : `${parsed.toNormalizedString().split(':').slice(0, 4).join(':')}::/64`;
}
