import { typeAliases } from '../bson/types.ts';
import { asInteger, bsonType, type Doc, isDoc } from '../bson/value.ts';
import { badValue } from '../errors.ts';

/** A query filter, parsed: the matcher compiles it, the planner reads index bounds from it. */
export type Filter =
  | { kind: 'and' | 'or' | 'nor'; children: Filter[] }
  | { kind: 'not'; child: Filter }
  | { kind: 'expr'; expression: unknown }
  | { kind: 'elemMatch'; path: readonly string[] | null; child: Filter }
  | { kind: 'field'; path: readonly string[] | null; operator: FieldOperator; operand: unknown };

type FieldOperator =
  | '$eq'
  | '$gt'
  | '$gte'
  | '$lt'
  | '$lte'
  | '$in'
  | '$exists'
  | '$type'
  | '$regex'
  | '$size'
  | '$mod'
  | '$bitsAllSet'
  | '$bitsAllClear'
  | '$bitsAnySet'
  | '$bitsAnyClear';

/** Parses as https://www.mongodb.com/docs/manual/reference/mql/query-predicates/ ; what is not known is refused. */
export function parseFilter(filter: unknown): Filter {
  if (!isDoc(filter)) throw badValue('the match filter must be an expression in an object');
  const children: Filter[] = [];
  for (const [name, operand] of Object.entries(filter)) {
    if (name.startsWith('$')) {
      const child = parseTopLevel(name, operand);
      if (child) children.push(child);
    } else children.push(...parseField(name.split('.'), operand));
  }
  return all(children);
}

function all(children: Filter[]): Filter {
  return children.length === 1 ? (children[0] as Filter) : { kind: 'and', children };
}

function parseTopLevel(name: string, operand: unknown): Filter | undefined {
  switch (name) {
    case '$and':
    case '$or':
    case '$nor':
      return { kind: name.slice(1) as 'and' | 'or' | 'nor', children: parseList(name, operand) };
    case '$expr':
      return { kind: 'expr', expression: operand };
    case '$comment':
      return undefined;
    case '$alwaysTrue':
      return { kind: 'and', children: [] };
    case '$alwaysFalse':
      return { kind: 'nor', children: [{ kind: 'and', children: [] }] };
    case '$where':
    case '$text':
    case '$jsonSchema':
      throw badValue(`${name} is not supported here`);
    default:
      throw badValue(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function parseList(name: string, operand: unknown): Filter[] {
  if (!Array.isArray(operand)) throw badValue(`${name} must be an array`);
  if (operand.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  return operand.map((entry) => {
    if (!isDoc(entry)) throw badValue('$or/$and/$nor entries need to be full objects');
    return parseFilter(entry);
  });
}

export function isOperatorDoc(value: unknown): value is Doc {
  return isDoc(value) && (Object.keys(value)[0]?.startsWith('$') ?? false) && !isDbRef(value);
}

function isDbRef(value: Doc): boolean {
  return '$ref' in value || '$id' in value;
}

function parseField(path: readonly string[] | null, operand: unknown): Filter[] {
  if (isRegex(operand)) return [{ kind: 'field', path, operator: '$regex', operand: [operand, ''] }];
  if (!isOperatorDoc(operand)) return [{ kind: 'field', path, operator: '$eq', operand }];
  return Object.entries(operand).flatMap(([operator, value]) => {
    const parsed = parseOperator(path, operator, value, operand);
    return parsed ? [parsed] : [];
  });
}

function parseOperator(
  path: readonly string[] | null,
  operator: string,
  operand: unknown,
  siblings: Doc,
): Filter | undefined {
  const field = (name: FieldOperator, value: unknown): Filter => ({
    kind: 'field',
    path,
    operator: name,
    operand: value,
  });
  const not = (child: Filter): Filter => ({ kind: 'not', child });
  switch (operator) {
    case '$eq':
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (isRegex(operand) && operator !== '$eq') {
        throw badValue(`Can't have RegEx as arg to predicate over field '${path?.join('.')}'.`);
      }
      return field(operator, operand);
    case '$ne':
      if (isRegex(operand)) throw badValue("Can't have regex as arg to $ne.");
      return not(field('$eq', operand));
    case '$in':
      return field('$in', membership('$in', operand));
    case '$nin':
      return not(field('$in', membership('$nin', operand)));
    case '$not':
      if (isRegex(operand)) return not(field('$regex', [operand, '']));
      if (!isDoc(operand)) throw badValue('$not needs a regex or a document');
      if (Object.keys(operand).length === 0) throw badValue('$not cannot be empty');
      if (!isOperatorDoc(operand)) throw badValue(`unknown operator: ${Object.keys(operand)[0]}`);
      return not(all(parseField(path, operand)));
    case '$exists':
      return field('$exists', truthy(operand));
    case '$type':
      return field('$type', parseTypes(operand));
    case '$regex':
      if (typeof operand !== 'string' && !isRegex(operand)) throw badValue('$regex has to be a string');
      if (siblings.$options !== undefined && typeof siblings.$options !== 'string') {
        throw badValue('$options has to be a string');
      }
      return field('$regex', [operand, siblings.$options ?? '']);
    case '$options':
      if (!('$regex' in siblings)) throw badValue('$options needs a $regex');
      return undefined;
    case '$size': {
      const size = asInteger(operand);
      if (size === undefined) {
        throw badValue(`Failed to parse $size. Expected a number in: $size: ${JSON.stringify(operand)}`);
      }
      if (size < 0) {
        throw badValue(`Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
      }
      return field('$size', size);
    }
    case '$mod':
      if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
      if (operand.length < 2) throw badValue('malformed mod, not enough elements');
      if (operand.length > 2) throw badValue('malformed mod, too many elements');
      if (asInteger(operand[0]) === 0) throw badValue('divisor cannot be 0');
      return field('$mod', operand.map(asInteger));
    case '$all':
      return parseAll(path, operand);
    case '$elemMatch':
      return parseElemMatch(path, operand);
    case '$bitsAllSet':
    case '$bitsAllClear':
    case '$bitsAnySet':
    case '$bitsAnyClear':
      return field(operator, operand);
    default:
      throw badValue(`unknown operator: ${operator}`);
  }
}

function membership(name: string, operand: unknown): unknown[] {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  if (operand.some(isOperatorDoc)) throw badValue(`cannot nest $ under ${name}`);
  return operand;
}

function parseTypes(operand: unknown): string[] {
  return [operand].flat().flatMap((type) => {
    const aliases = typeAliases(type);
    if (!aliases) {
      throw badValue(
        typeof type === 'string'
          ? `Unknown type name alias: ${type}`
          : `Invalid numerical type code: ${type}`,
      );
    }
    return aliases;
  });
}

function parseAll(path: readonly string[] | null, operand: unknown): Filter {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return { kind: 'nor', children: [{ kind: 'and', children: [] }] };
  return {
    kind: 'and',
    children: operand.map((entry): Filter => {
      if (isDoc(entry) && '$elemMatch' in entry) return parseElemMatch(path, entry.$elemMatch);
      if (isOperatorDoc(entry)) throw badValue('no $ expressions in $all');
      if (isRegex(entry)) return { kind: 'field', path, operator: '$regex', operand: [entry, ''] };
      return { kind: 'field', path, operator: '$eq', operand: entry };
    }),
  };
}

function parseElemMatch(path: readonly string[] | null, operand: unknown): Filter {
  if (!isDoc(operand)) throw badValue('$elemMatch needs an Object');
  const [first] = Object.keys(operand);
  const onElements = first?.startsWith('$') && !['$and', '$or', '$nor', '$expr'].includes(first);
  const child = onElements ? all(parseField(null, operand)) : { ...parseFilter(operand) };
  const documentsOnly: Filter = {
    kind: 'field',
    path: null,
    operator: '$type',
    operand: ['object', 'array'],
  };
  return {
    kind: 'elemMatch',
    path,
    child: onElements ? child : { kind: 'and', children: [documentsOnly, child] },
  };
}

export function isRegex(value: unknown): boolean {
  return bsonType(value) === 'BSONRegExp' || value instanceof RegExp;
}

export function truthy(value: unknown): boolean {
  return !(value === undefined || value === null || value === false || asInteger(value) === 0);
}
