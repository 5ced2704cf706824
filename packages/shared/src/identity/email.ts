import { domainToASCII } from 'node:url';

/** Characters of the longest address (RFC 5321 §4.5.3.1.3, less the angle brackets). */
export const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** One plain ASCII address: the dot-atom form of RFC 5321 §4.1.2, with the lengths of its §4.5.3.1. */
export function isPlainAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const fits = at > 0 && local.length <= MAX_LOCAL && text.length <= MAX_ADDRESS;
  return fits && LOCAL.test(local) && DOMAIN.test(domain) && isInternationalName(domain);
}

/** Whether the `xn--` labels of a domain, if any, spell something (RFC 5891): no mail server takes the others. */
const isInternationalName = (domain: string): boolean =>
  !/xn--/i.test(domain) || domainToASCII(domain) !== '';

/**
 * What two spellings of one address share: ASCII letters lower-cased and nothing else, since a database
 * collation would also fold letters that only look alike (Kelvin sign, full-width forms). What is longer than
 * any address is cut: it belongs to nobody, and is to fill neither counters nor logs.
 */
export const emailKey = (email: string): string =>
  email.slice(0, MAX_ADDRESS + 1).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
