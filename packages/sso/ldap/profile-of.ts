import type { Entry } from 'ldapts';
import { type AttributeRules, mapAttributes, type Profile } from '../profile.ts';

/**
 * Returns the person that an entry describes. A directory vouches for its addresses.
 * The subject is the permanent identifier of the entry, or its name in a directory without one.
 */
export function profileOf(entry: Entry, rules: AttributeRules): Profile {
  const values = new Map(Object.entries(entry).map(([name, value]) => [name.toLowerCase(), value] as const));
  // Names of attributes are compared without regard to case (RFC 4512 §2.5).
  const attributes = Object.fromEntries(
    Object.values(rules.attributes).map((name) => [name, values.get(name.toLowerCase())]),
  );
  return {
    subject: permanentId(values) ?? entry.dn,
    emailVerified: true,
    ...mapAttributes(attributes, rules),
  };
}

function permanentId(values: Map<string, Entry[string]>): string | undefined {
  const uuid = values.get('entryuuid');
  if (typeof uuid === 'string' && uuid !== '') return uuid;
  const guid = values.get('objectguid');
  return Buffer.isBuffer(guid) && guid.length === 16 ? guid.toString('hex') : undefined;
}
