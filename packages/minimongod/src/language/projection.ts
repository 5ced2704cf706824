import { toNumber } from '../bson/decimal.ts';
import { isNumeric } from '../bson/types.ts';
import { type Doc, getField, isDoc, setField } from '../bson/value.ts';
import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { setComputed } from './add-fields.ts';
import { checkExpression, type Evaluate, isExpressionOperator } from './expression.ts';
import { parseFilter, truthy } from './filter.ts';
import { compileFilter, type MatchOptions } from './match.ts';

export type Projection = (doc: Doc) => Doc;

interface Tree {
  [field: string]: Tree | true;
}

interface Computed {
  path: string[];
  compute: (doc: Doc) => unknown;
}

const MISSING = Symbol('missing');

/**
 * A projection of find (with $slice and $elemMatch) or of a $project stage (`stage`: there they are expressions):
 * https://www.mongodb.com/docs/manual/reference/mql/projection/
 */
export function parseProjection(
  spec: unknown,
  options: MatchOptions & { evaluate: Evaluate; stage?: boolean },
): Projection {
  if (!isDoc(spec)) throw typeMismatch("Expected field 'projection' to be of type object");
  const included: string[][] = [];
  const excluded: string[][] = [];
  const computed: Computed[] = [];
  let idExcluded = false;
  let idIncluded = false;

  visit(spec, []);

  if (included.length > 0 && excluded.length > 0) {
    const [name] = Object.keys(spec).filter((key) => key !== '_id');
    const inclusionFirst = name !== undefined && included.some((path) => path[0] === name.split('.')[0]);
    throw inclusionFirst
      ? new CommandError(
          31254,
          `Cannot do exclusion on field ${excluded[0]?.join('.')} in inclusion projection`,
        )
      : new CommandError(
          31253,
          `Cannot do inclusion on field ${included[0]?.join('.')} in exclusion projection`,
        );
  }
  const sliceOnly = computed.length > 0 && computed.every(({ compute }) => keepsRest.has(compute));
  const inclusion =
    included.length > 0 ||
    (excluded.length === 0 && computed.length > 0 && !sliceOnly) ||
    (excluded.length === 0 && computed.length === 0 && idIncluded);
  if (!inclusion && idExcluded) excluded.push(['_id']);
  if (inclusion && !idExcluded) included.push(['_id']);
  const tree = buildTree(inclusion ? included : excluded);
  return (doc) => {
    const result = inclusion ? include(doc, tree) : exclude(doc, tree);
    for (const { path, compute } of computed) {
      const value = compute(doc);
      if (value !== undefined) setComputed(result, path, value);
    }
    return result;
  };

  function visit(node: Doc, prefix: string[]): void {
    const entries = Object.entries(node);
    if (entries.length === 0 && prefix.length > 0) {
      throw new CommandError(
        51270,
        'An empty sub-projection is not a valid value. Found empty object at path',
      );
    }
    for (const [name, value] of entries) {
      if (name === '') throw new CommandError(40352, 'FieldPath cannot be constructed with empty string');
      if (name.startsWith('$')) {
        throw new CommandError(
          16410,
          `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
        );
      }
      if (name.endsWith('.$')) throw badValue('A positional projection is not supported here.');
      const path = [...prefix, ...name.split('.')];
      if (typeof value === 'boolean' || isNumeric(value)) flag(path, truthy(value) && toNumber(value) !== 0);
      else if (isDoc(value) && !Object.keys(value)[0]?.startsWith('$')) visit(value, path);
      else computed.push({ path, compute: computation(path, value) });
    }
  }

  function flag(path: string[], on: boolean): void {
    if (path.length === 1 && path[0] === '_id') {
      if (on) idIncluded = true;
      else idExcluded = true;
    } else (on ? included : excluded).push(path);
  }

  function computation(path: string[], value: unknown): (doc: Doc) => unknown {
    if (!options.stage && isDoc(value)) {
      if ('$slice' in value) return slice(path, value.$slice);
      if ('$elemMatch' in value) {
        const [first] = Object.keys(value.$elemMatch as Doc);
        const parsed = parseFilter({ field: { $elemMatch: value.$elemMatch } });
        if (parsed.kind !== 'elemMatch' || first === undefined) throw badValue('$elemMatch needs an Object');
        const test = compileFilter(parsed.child, options);
        return (doc) => {
          const array = getField(doc, path.join('.'));
          const match = Array.isArray(array) ? array.find(test) : undefined;
          return match === undefined ? undefined : [match];
        };
      }
      if ('$meta' in value) throw badValue('$meta is not supported here.');
    }
    const [operator] = isDoc(value) ? Object.keys(value) : [];
    if (operator?.startsWith('$') && !isExpressionOperator(operator)) {
      throw new CommandError(31325, `Invalid $project :: caused by :: Unknown expression ${operator}`);
    }
    checkExpression(value);
    return (doc) => options.evaluate(doc, value);
  }
}

const keepsRest = new WeakSet<(doc: Doc) => unknown>();

function slice(path: string[], operand: unknown): (doc: Doc) => unknown {
  const numbers = (Array.isArray(operand) ? operand : [operand]).map((value) =>
    isNumeric(value) ? Math.trunc(toNumber(value)) : Number.NaN,
  );
  const [first = 0, second] = numbers;
  if (numbers.some(Number.isNaN) || numbers.length > 2) {
    throw new CommandError(28724, 'First argument to $slice must be an number');
  }
  if (second !== undefined && second <= 0) {
    throw new CommandError(28724, `Third argument to $slice must be positive: ${second}`);
  }
  const compute = (doc: Doc): unknown => {
    const array = path.reduce<unknown>(
      (value, name) => (isDoc(value) ? getField(value, name) : undefined),
      doc,
    );
    if (!Array.isArray(array)) return undefined;
    if (second === undefined) return first >= 0 ? array.slice(0, first) : array.slice(first);
    const start = first >= 0 ? first : Math.max(array.length + first, 0);
    return array.slice(start, start + second);
  };
  keepsRest.add(compute);
  return compute;
}

function buildTree(paths: string[][]): Tree {
  const tree: Tree = Object.create(null);
  for (const path of paths) {
    let node = tree;
    path.forEach((name, depth) => {
      const child = node[name];
      const last = depth === path.length - 1;
      if (child !== undefined && (last || child === true)) {
        throw new CommandError(31250, `Path collision at ${path.join('.')}`);
      }
      if (last) node[name] = true;
      else {
        node[name] = child ?? Object.create(null);
        node = node[name] as Tree;
      }
    });
  }
  return tree;
}

function include(doc: Doc, tree: Tree): Doc {
  const result: Doc = {};
  for (const name of Object.keys(doc)) {
    const branch = tree[name];
    if (branch === undefined) continue;
    const value = branch === true ? doc[name] : includeValue(doc[name], branch);
    if (value !== MISSING) setField(result, name, value);
  }
  return result;
}

function includeValue(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) {
    return value.map((element) => includeValue(element, tree)).filter((element) => element !== MISSING);
  }
  return isDoc(value) ? include(value, tree) : MISSING;
}

function exclude(doc: Doc, tree: Tree): Doc {
  const result: Doc = {};
  for (const name of Object.keys(doc)) {
    const branch = tree[name];
    if (branch === true) continue;
    setField(result, name, branch === undefined ? doc[name] : excludeValue(doc[name], branch));
  }
  return result;
}

function excludeValue(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((element) => excludeValue(element, tree));
  return isDoc(value) ? exclude(value, tree) : value;
}

/** $unset: the documents without these fields. */
export function removeFields(names: readonly string[]): Projection {
  const tree = buildTree(names.map((name) => name.split('.')));
  return (doc) => exclude(doc, tree);
}
