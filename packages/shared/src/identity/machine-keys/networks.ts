import ipaddr from 'ipaddr.js';
import { ipOf } from '../../http/address.ts';

/**
 * Returns a network in its usual form, such as `192.0.2.0/24` or `2001:db8::/32`; undefined if the text is neither a
 * network nor an address. An IPv4 network that is written as IPv6 becomes IPv4, as client addresses do.
 */
export function networkOf(text: string): string | undefined {
  const [host = '', bits, ...rest] = text.split('/');
  if (rest.length > 0 || !isAddress(host) || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
    return undefined;
  const given = ipaddr.parse(host);
  const address = ipaddr.process(host);
  const removed = given.kind() === address.kind() ? 0 : 96;
  const max = address.kind() === 'ipv4' ? 32 : 128;
  const prefix = bits === undefined ? max : Number(bits) - removed;
  if (prefix < 0 || prefix > max) return undefined;
  const first =
    address.kind() === 'ipv4'
      ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefix}`)
      : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${prefix}`);
  return `${first}/${prefix}`;
}

/** Four decimal numbers, or IPv6 without a zone: shorter and octal spellings mean different things to different readers. */
const isAddress = (host: string): boolean =>
  host.includes(':')
    ? /^[0-9a-f:.]+$/i.test(host) && ipaddr.isValid(host)
    : ipaddr.IPv4.isValidFourPartDecimal(host);

/** Whether a client address is in one of the networks. An address that cannot be read is in none. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  const ip = ipOf(address);
  if (ip === null) return false;
  const parsed = ipaddr.parse(ip);
  return networks.some((network) => {
    const [range, bits] = ipaddr.parseCIDR(network);
    return range.kind() === parsed.kind() && parsed.match(range, bits);
  });
}
