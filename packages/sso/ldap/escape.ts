/** Replaces these characters by a backslash and their UTF-8 in hexadecimal. */
const hexEscaped = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('');

/** Escapes a value for a search filter (RFC 4515 §3). */
export const escapeFilter = (value: string): string => value.replace(/[\\*()\0]/g, hexEscaped);

/** Escapes an attribute value for a distinguished name (RFC 4514 §2.4). */
export const escapeDn = (value: string): string => value.replace(/[\\"+,;<>=\0]|^[ #]| $/g, hexEscaped);

const PLACEHOLDER = '{username}';

export const hasPlaceholder = (template: string): boolean => template.includes(PLACEHOLDER);

/** Puts a user name into a template; `escapeValue` keeps it from becoming part of the syntax. */
export const fillIn = (template: string, username: string, escapeValue: (value: string) => string): string =>
  template.replaceAll(PLACEHOLDER, () => escapeValue(username));
