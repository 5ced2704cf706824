import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Where webhooks may go: public unicast addresses and nothing else (OWASP, Server-Side Request Forgery). */

/** The only IPv6 block from which global unicast addresses are given out (RFC 4291 §2.4, IANA). */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/** Public by its number, and yet the inside of every machine of one cloud. */
const WIRE_SERVER = '168.63.129.16';

/** An IPv4 address in the last half of an IPv6 one (RFC 5214 §6.1): it leads wherever that leads. */
const isIsatap = (address: ipaddr.IPv6): boolean =>
  address.parts[5] === 0x5efe && ((address.parts[4] ?? 0) & 0xfdff) === 0;

/** Whether an IP address is one of the public internet, however it is spelled. */
export function isPublicAddress(address: string): boolean {
  if (!isIP(address)) return false;
  // An IPv4 address inside an IPv6 one (::ffff:0:0/96) is judged as what it is.
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

/** Finds every address of a name. Rejects when there is none. */
export type Resolve = (hostname: string) => Promise<string[]>;

/**
 * Asks the name servers. Not the system's lookup: that takes a thread of the pool in which passwords are hashed, for
 * as long as a stranger's name server likes.
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

/** Names for this machine or its network, which no name server need answer for (RFC 6761, RFC 6762, RFC 9476). */
const LOCAL_NAME = /(?:^|\.)(?:localhost|local|internal|home\.arpa)\.?$/i;

/**
 * The addresses at which a host may be called.
 * @param hostname as `URL` spells it: decimal, octal and hexadecimal IPv4 are dotted by then.
 * @throws {NotPublicError} when a single one of them is not public: which one is dialled nobody can tell.
 */
export async function publicAddresses(hostname: string, resolve: Resolve): Promise<string[]> {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (LOCAL_NAME.test(host)) throw new NotPublicError();
  const addresses = isIP(host) ? [host] : await resolve(host);
  if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new NotPublicError();
  return addresses;
}
