import { invalidValue } from './errors.ts';
import { isObject, type Json } from './schemas.ts';

/** Which attributes of a resource the caller wants (RFC 7644 §3.9). */
export interface Projection {
  has(attribute: string): boolean;
  apply(resource: Json): Json;
}

const ALWAYS = new Set(['id', 'schemas']);
const MAX_NAMES = 100;
const URN = /^urn:ietf:params:scim:schemas:core:2\.0:(?:user|group):/;
const EXTENSION = /^(urn:ietf:params:scim:schemas:extension:enterprise:2\.0:user)[:.](.+)$/;

/** @throws {ScimError} if both lists are given. */
export function readProjection(given: Json): Projection {
  const [included, excluded] = [namesOf(given, 'attributes'), namesOf(given, 'excludedAttributes')];
  if (included && excluded) throw invalidValue('Give attributes or excludedAttributes, not both');
  const paths = included ?? excluded ?? new Map<string, Set<string>>();
  const chosen = (attribute: string): boolean => {
    const name = attribute.toLowerCase();
    if (ALWAYS.has(name)) return true;
    if (included) return included.has(name);
    return !excluded?.has(name) || (excluded.get(name)?.size ?? 0) > 0;
  };
  return {
    has: chosen,
    apply: (resource) =>
      Object.fromEntries(
        Object.entries(resource)
          .filter(([name]) => chosen(name))
          .map(([name, value]) => [
            name,
            chooseSubs(value, paths.get(name.toLowerCase()), included !== undefined),
          ]),
      ),
  };
}

/** The sub-attributes by attribute, both in lower case; an empty set stands for all of them. */
function namesOf(given: Json, name: string): Map<string, Set<string>> | undefined {
  const value = given[name];
  if (value === undefined || value === null || value === '') return undefined;
  const list: unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
  if (list.length > MAX_NAMES || !list.every((each): each is string => typeof each === 'string'))
    throw invalidValue(`${name} must be a list of at most ${MAX_NAMES} names`);
  const names = new Map<string, Set<string>>();
  for (const each of list) {
    const path = each.trim().toLowerCase().replace(URN, '');
    const [, urn, extended] = EXTENSION.exec(path) ?? [];
    const [attribute = '', sub] =
      urn !== undefined ? [urn, extended] : path.startsWith('urn:') ? [path] : path.split('.');
    const known = names.get(attribute);
    if (sub === undefined) names.set(attribute, new Set());
    else if (!known) names.set(attribute, new Set([sub]));
    else if (known.size > 0) known.add(sub);
  }
  return names;
}

function chooseSubs(value: unknown, subs: Set<string> | undefined, isIncluded: boolean): unknown {
  if (!subs || subs.size === 0) return value;
  if (Array.isArray(value)) return value.map((each) => chooseSubs(each, subs, isIncluded));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => subs.has(name.toLowerCase()) === isIncluded),
  );
}
