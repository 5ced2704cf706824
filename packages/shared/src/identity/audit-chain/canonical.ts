import { hash } from 'node:crypto';

/**
 * The canonical form of a value: JSON with the keys of objects in order and without those that are undefined. A date
 * is an object, so that no string looks like one.
 */
export function canonical(value: unknown): string {
  if (value instanceof Date) return `{"$date":${JSON.stringify(value.toISOString())}}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const members = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(',')}}`;
}

/** SHA-256 of the canonical form, in base64url. */
export const digestOf = (value: unknown): string => hash('sha256', canonical(value), 'base64url');
