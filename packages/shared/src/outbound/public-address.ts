import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Calls go to public unicast addresses only (OWASP, Server-Side Request Forgery). */

/** The only IPv6 block that IANA allocates global unicast addresses from (RFC 4291 §2.4). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Azure's WireServer: a public address that every virtual machine there reaches as an internal service. */
const WIRE_SERVER = '168.63.129.16';

/** Whether an IPv6 address embeds an IPv4 address in its last half (RFC 5214 §6.1), and may lead to it. */
const isIsatap = (address: ipaddr.IPv6): boolean =>
  address.parts[5] === 0x5efe && ((address.parts[4] ?? 0) & 0xfdff) === 0;

/** Whether an IP address, in any spelling, is a public unicast address. */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address)) return false;
  // An IPv4-mapped IPv6 address (::ffff:0:0/96) is checked as IPv4.
  const parsed = ipaddr.process(address.replace(/%.*$/, ''));
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(GLOBAL_UNICAST) && !isIsatap(parsed);
  return parsed.toString() !== WIRE_SERVER;
}

export class NotPublicError extends Error {
  constructor() {
    super('the address is not public');
  }
}

/** Resolves a name to all of its addresses. Rejects when it has none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Queries the name servers directly. The system's lookup would hold a thread of the pool that hashes passwords for as
 * long as a receiver's name server takes.
 */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
    return addresses;
  };
}

/** Names of this machine or its network (RFC 6761, RFC 6762, RFC 9476). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

export const isLocalName = (hostname: string): boolean => LOCAL_NAME.test(hostname);

/**
 * Resolves a host to its addresses.
 * @param hostname as `URL` normalizes it: decimal, octal and hexadecimal IPv4 in dotted form.
 * @throws {NotPublicError} when any of them is not public, since the connection may use any.
 */
export async function publicAddresses(hostname: string, resolve: Resolve): Promise<string[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isLocalName(host)) throw new NotPublicError();
  const addresses = isIP(host) ? [host] : await resolve(host);
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new NotPublicError();
  return addresses;
}
