import { domainToASCII } from 'node:url';

/** Maximum length of an address (RFC 5321 §4.5.3.1.3, without the angle brackets). */
export const MAX_ADDRESS = 254;
const MAX_LOCAL = 64;

const LOCAL = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`);

/** Returns whether a text is one ASCII address in dot-atom form (RFC 5321 §4.1.2) within the length limits (§4.5.3.1). */
export function isPlainAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const fits = at > 0 && local.length <= MAX_LOCAL && text.length <= MAX_ADDRESS;
  return fits && LOCAL.test(local) && DOMAIN.test(domain) && hasValidPunycode(domain);
}

/** Returns whether the `xn--` labels of a domain, if any, decode (RFC 5891). Mail servers refuse others. */
const hasValidPunycode = (domain: string): boolean => !/xn--/i.test(domain) || domainToASCII(domain) !== '';

/**
 * Returns the key shared by all spellings of an address. Only ASCII letters are lowercased: a database collation
 * also folds look-alikes such as the Kelvin sign and full-width letters. Texts longer than any address are cut: they
 * must fill neither counters nor logs.
 */
export const emailKey = (email: string): string =>
  email.slice(0, MAX_ADDRESS + 1).replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** Replaces in logs and audits what was typed as an address: it may be a password. */
const NOT_AN_ADDRESS = '[not an address]';

/** Returns the typed address as it may be logged and audited. */
export const maskUnlessAddress = (typed: string): string => (isPlainAddress(typed) ? typed : NOT_AN_ADDRESS);

/** Returns whether the domain of an address can be public: it has a dot and is no IPv4 address. */
export const hasPublicDomain = (email: string): boolean => /\.(?!\d+$)[^.]+$/.test(domainOf(email));

/** Returns the domain of an address, in lower case. */
export const domainOf = (email: string): string => {
  const key = emailKey(email);
  return key.slice(key.lastIndexOf('@') + 1);
};
