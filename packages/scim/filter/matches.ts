import { invalidFilter } from '../errors.ts';
import { type Attributes, isObject, type Json } from '../schemas.ts';
import type { Filter } from './parse.ts';

/** Whether a value of a list matches the filter of a PATCH path. Strings compare without regard to case. */
export function matches(filter: Filter, value: unknown, attributes: Attributes): boolean {
  if (filter.kind === 'and') return filter.filters.every((each) => matches(each, value, attributes));
  if (filter.kind === 'or') return filter.filters.some((each) => matches(each, value, attributes));
  if (filter.kind === 'not') return !matches(filter.filter, value, attributes);
  if (filter.kind === 'values') throw invalidFilter('A filter in a path has no lists');
  const actual = subValue(value, filter.attribute, attributes);
  const wanted = fold(filter.value);
  switch (filter.comparison) {
    case 'pr':
      return actual !== null;
    case 'eq':
      return actual === wanted;
    case 'ne':
      return actual !== wanted;
    case 'co':
      return typeof actual === 'string' && actual.includes(String(wanted));
    case 'sw':
      return typeof actual === 'string' && actual.startsWith(String(wanted));
    case 'ew':
      return typeof actual === 'string' && actual.endsWith(String(wanted));
    default:
      throw invalidFilter(`A filter in a path has no ${filter.comparison}`);
  }
}

function subValue(value: unknown, name: string, attributes: Attributes): string | null {
  const attribute = attributes.get(name);
  if (!attribute) throw invalidFilter(`There is no sub-attribute ${name}`);
  return fold(isObject(value) ? (value as Json)[attribute.name] : null);
}

/** Booleans as text, since Entra ID writes `primary eq "True"`. */
const fold = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value).toLowerCase();

/** Returns the sub-attributes that a filter requires a value to have, such as type "work". */
export function requiredBy(filter: Filter, attributes: Attributes): Json {
  if (filter.kind === 'and')
    return Object.assign({}, ...filter.filters.map((each) => requiredBy(each, attributes)));
  const attribute = filter.kind === 'compare' && attributes.get(filter.attribute);
  return attribute && filter.comparison === 'eq' ? { [attribute.name]: filter.value } : {};
}
