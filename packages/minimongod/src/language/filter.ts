import { toShell } from '../bson/to-shell.ts';
import { isRegex, typeAliases } from '../bson/types.ts';
import { asInteger, type Doc, isDoc, truthy } from '../bson/value.ts';
import { badValue } from '../errors.ts';

type Path = readonly string[] | null;

/** A parsed query filter: the matcher compiles it, the planner derives index bounds from it. */
export type Filter =
  | { kind: 'and' | 'or' | 'nor'; children: Filter[] }
  | { kind: 'not'; child: Filter }
  | { kind: 'expr'; expression: unknown }
  | { kind: 'elemMatch'; path: Path; child: Filter }
  | FieldFilter;

/** A predicate on one field; a null path means the value itself, inside $elemMatch. */
export interface FieldFilter {
  kind: 'field';
  path: Path;
  operator:
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
    | '$mod';
  operand: unknown;
}

type Parse = (path: Path, operand: unknown, name: string, siblings: Doc) => Filter | undefined;

const MATCHES_NOTHING: Filter = { kind: 'nor', children: [{ kind: 'and', children: [] }] };

/** https://www.mongodb.com/docs/manual/reference/mql/query-predicates/ */
export const FIELD_OPERATORS: Record<string, Parse> = {
  $eq: (path, operand) => predicate(path, '$eq', operand),
  $ne: (path, operand) => {
    if (isRegex(operand)) throw badValue("Can't have regex as arg to $ne.");
    return not(predicate(path, '$eq', operand));
  },
  $gt: inequality('$gt'),
  $gte: inequality('$gte'),
  $lt: inequality('$lt'),
  $lte: inequality('$lte'),
  $in: (path, operand, name) => predicate(path, '$in', checkList(name, operand)),
  $nin: (path, operand, name) => not(predicate(path, '$in', checkList(name, operand))),
  $not: (path, operand) => {
    if (isRegex(operand)) return not(predicate(path, '$regex', [operand, '']));
    if (!isDoc(operand)) throw badValue('$not needs a regex or a document');
    if (Object.keys(operand).length === 0) throw badValue('$not cannot be empty');
    if (!isOperatorDoc(operand)) throw badValue(`unknown operator: ${Object.keys(operand)[0]}`);
    return not(all(parseField(path, operand)));
  },
  $exists: (path, operand) => predicate(path, '$exists', truthy(operand)),
  $type: (path, operand) => predicate(path, '$type', [operand].flat().flatMap(parseType)),
  $regex: (path, operand, _name, { $options = '' }) => {
    if (typeof operand !== 'string' && !isRegex(operand)) throw badValue('$regex has to be a string');
    if (typeof $options !== 'string') throw badValue('$options has to be a string');
    return predicate(path, '$regex', [operand, $options]);
  },
  $options: (_path, _operand, _name, siblings) => {
    if (!('$regex' in siblings)) throw badValue('$options needs a $regex');
    return undefined;
  },
  $size: (path, operand) => {
    const size = asInteger(operand);
    if (size !== undefined && size >= 0) return predicate(path, '$size', size);
    const expected = size === undefined ? 'a number' : 'a non-negative number';
    throw badValue(`Failed to parse $size. Expected ${expected} in: $size: ${toShell(operand)}`);
  },
  $mod: (path, operand) => {
    if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
    if (operand.length < 2) throw badValue('malformed mod, not enough elements');
    if (operand.length > 2) throw badValue('malformed mod, too many elements');
    if (asInteger(operand[0]) === 0) throw badValue('divisor cannot be 0');
    return predicate(path, '$mod', operand.map(asInteger));
  },
  $all: (path, operand) => {
    if (!Array.isArray(operand)) throw badValue('$all needs an array');
    if (operand.length === 0) return MATCHES_NOTHING;
    const children = operand.map((entry): Filter => {
      if (isDoc(entry) && '$elemMatch' in entry) return elemMatch(path, entry.$elemMatch);
      if (isOperatorDoc(entry)) throw badValue('no $ expressions in $all');
      return equality(path, entry);
    });
    return { kind: 'and', children };
  },
  $elemMatch: elemMatch,
};

export const LOGICAL_OPERATORS: Record<string, (operand: unknown, name: string) => Filter | undefined> = {
  $and: (operand, name) => ({ kind: 'and', children: parseClauses(operand, name) }),
  $or: (operand, name) => ({ kind: 'or', children: parseClauses(operand, name) }),
  $nor: (operand, name) => ({ kind: 'nor', children: parseClauses(operand, name) }),
  $expr: (operand) => ({ kind: 'expr', expression: operand }),
  $comment: () => undefined,
};

export function parseFilter(filter: unknown): Filter {
  if (!isDoc(filter)) throw badValue('the match filter must be an expression in an object');
  const children = Object.entries(filter).flatMap(([name, operand]) => {
    if (!name.startsWith('$')) return parseField(name.split('.'), operand);
    const parse = Object.hasOwn(LOGICAL_OPERATORS, name) ? LOGICAL_OPERATORS[name] : undefined;
    if (!parse) {
      throw badValue(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
    }
    return parse(operand, name) ?? [];
  });
  return all(children);
}

function parseClauses(operand: unknown, name: string): Filter[] {
  if (!Array.isArray(operand)) throw badValue(`${name} must be an array`);
  if (operand.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  return operand.map((entry) => {
    if (!isDoc(entry)) throw badValue('$or/$and/$nor entries need to be full objects');
    return parseFilter(entry);
  });
}

function parseField(path: Path, operand: unknown): Filter[] {
  if (!isOperatorDoc(operand)) return [equality(path, operand)];
  return Object.entries(operand).flatMap(([name, value]) => {
    const parse = Object.hasOwn(FIELD_OPERATORS, name) ? FIELD_OPERATORS[name] : undefined;
    if (!parse) throw badValue(`unknown operator: ${name}`);
    return parse(path, value, name, operand) ?? [];
  });
}

/** Whether a value is a document of operators, such as { $gt: 5 }; a DBRef is not. */
export function isOperatorDoc(value: unknown): value is Doc {
  if (!isDoc(value) || '$ref' in value || '$id' in value) return false;
  return Object.keys(value)[0]?.startsWith('$') ?? false;
}

function predicate(path: Path, operator: FieldFilter['operator'], operand: unknown): FieldFilter {
  return { kind: 'field', path, operator, operand };
}

function equality(path: Path, operand: unknown): FieldFilter {
  return isRegex(operand) ? predicate(path, '$regex', [operand, '']) : predicate(path, '$eq', operand);
}

function inequality(operator: '$gt' | '$gte' | '$lt' | '$lte'): Parse {
  return (path, operand) => {
    if (!isRegex(operand)) return predicate(path, operator, operand);
    throw badValue(`Can't have RegEx as arg to predicate over field '${path?.join('.')}'.`);
  };
}

function not(child: Filter): Filter {
  return { kind: 'not', child };
}

function all(children: Filter[]): Filter {
  return children.length === 1 ? (children[0] as Filter) : { kind: 'and', children };
}

function checkList(name: string, operand: unknown): unknown[] {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  if (operand.some(isOperatorDoc)) throw badValue(`cannot nest $ under ${name}`);
  return operand;
}

function parseType(type: unknown): string[] {
  const aliases = typeAliases(type);
  if (aliases) return aliases;
  throw badValue(
    typeof type === 'string' ? `Unknown type name alias: ${type}` : `Invalid numerical type code: ${type}`,
  );
}

function elemMatch(path: Path, operand: unknown): Filter {
  if (!isDoc(operand)) throw badValue('$elemMatch needs an Object');
  const [first] = Object.keys(operand);
  const onValues = first?.startsWith('$') && !Object.hasOwn(LOGICAL_OPERATORS, first);
  if (onValues) return { kind: 'elemMatch', path, child: all(parseField(null, operand)) };
  const isContainer = predicate(null, '$type', ['object', 'array']);
  return { kind: 'elemMatch', path, child: { kind: 'and', children: [isContainer, parseFilter(operand)] } };
}
