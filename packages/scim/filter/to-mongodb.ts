import type { Document } from 'mongodb';
import { invalidFilter } from '../errors.ts';
import type { Comparison, Filter, Value } from './parse.ts';

/** Where an attribute is stored, and how it compares. */
interface Field {
  path: string;
  /**
   * `folded` is stored in lower case and compares without regard to case; so does `text`, which is stored as it was
   * given; `exact` compares case.
   */
  type: 'folded' | 'text' | 'exact' | 'boolean' | 'date';
}

/** By path in lower case. `values` are the sub-attributes of a list, whose `''` is its default sub-attribute. */
export type Fields = ReadonlyMap<string, Field | { list: string; values: ReadonlyMap<string, Field> }>;

/**
 * Returns the query of a filter. Attributes come from the table alone and values are always operands of operators
 * that are chosen here, so a filter cannot inject an operator.
 * @throws {ScimError} invalidFilter for other attributes, or operators that an attribute does not have.
 */
export function toMongodb(filter: Filter, fields: Fields): Document {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { [`$${filter.kind}`]: filter.filters.map((each) => toMongodb(each, fields)) };
  if (filter.kind === 'not') return { $nor: [toMongodb(filter.filter, fields)] };
  const [name = '', sub = ''] = filter.attribute.split('.');
  const field = fields.get(filter.attribute) ?? fields.get(name);
  if (!field) throw invalidFilter(`Filters on ${filter.attribute} are not supported`);
  if (filter.kind === 'values') {
    if (!('list' in field)) throw invalidFilter(`${filter.attribute} is not a list`);
    return { [field.list]: { $elemMatch: toMongodb(filter.filter, field.values) } };
  }
  if (!('list' in field)) return compare(field, filter.comparison, filter.value);
  const value = field.values.get(sub === '' ? 'value' : sub);
  if (!value) throw invalidFilter(`Filters on ${filter.attribute} are not supported`);
  // `ne` holds when no value is equal.
  if (filter.comparison === 'ne')
    return { $nor: [{ [field.list]: { $elemMatch: compare(value, 'eq', filter.value) } }] };
  return { [field.list]: { $elemMatch: compare(value, filter.comparison, filter.value) } };
}

const ORDER = { gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' } as const;

function compare({ path, type }: Field, comparison: Comparison, value: Value): Document {
  if (comparison === 'pr') return { [path]: { $ne: null } };
  if (value === null) {
    if (comparison === 'eq') return { [path]: { $eq: null } };
    if (comparison === 'ne') return { [path]: { $ne: null } };
    throw invalidFilter('null has no order');
  }
  if (type === 'boolean') {
    const flag = typeof value === 'string' ? value.toLowerCase() === 'true' : value;
    if (typeof flag !== 'boolean' || (comparison !== 'eq' && comparison !== 'ne'))
      throw invalidFilter('A boolean attribute is compared to true or false with eq or ne');
    return { [path]: { [comparison === 'eq' ? '$eq' : '$ne']: flag } };
  }
  if (typeof value !== 'string') throw invalidFilter('The attribute is compared to a string');
  if (type === 'date') {
    const at = new Date(value);
    if (Number.isNaN(at.getTime()) || comparison === 'co' || comparison === 'sw' || comparison === 'ew')
      throw invalidFilter('A time is compared to an ISO 8601 date-time by order or equality');
    if (comparison === 'eq') return { [path]: { $eq: at } };
    if (comparison === 'ne') return { [path]: { $ne: at } };
    return { [path]: { [ORDER[comparison]]: at } };
  }
  const text = type === 'folded' ? value.toLowerCase() : value;
  const options = type === 'text' ? { $options: 'i' } : {};
  switch (comparison) {
    case 'eq':
      return type === 'text'
        ? { [path]: { $regex: `^${escapeRegex(text)}$`, ...options } }
        : { [path]: { $eq: text } };
    case 'ne':
      return type === 'text'
        ? { $nor: [{ [path]: { $regex: `^${escapeRegex(text)}$`, ...options } }] }
        : { [path]: { $ne: text } };
    case 'co':
      return { [path]: { $regex: escapeRegex(text), ...options } };
    case 'sw':
      return { [path]: { $regex: `^${escapeRegex(text)}`, ...options } };
    case 'ew':
      return { [path]: { $regex: `${escapeRegex(text)}$`, ...options } };
    default:
      return { [path]: { [ORDER[comparison]]: text } };
  }
}

/** A literal as a regular expression, which takes linear time. */
const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
