import { withField } from '../bson/paths.ts';
import { isNumeric } from '../bson/types.ts';
import { type Doc, isDoc, setField, truthy } from '../bson/value.ts';
import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { checkFieldName, compileExpression, type Evaluator, EXPRESSION_OPERATORS } from './expression.ts';
import type { Scope } from './expression-context.ts';

export type Projection = (doc: Doc) => Doc;

interface Tree {
  [field: string]: Tree | true;
}

/** https://www.mongodb.com/docs/manual/reference/mql/projection/ */
export function parseProjection(spec: unknown, scope: Scope): Projection {
  if (!isDoc(spec)) throw typeMismatch("Expected field 'projection' to be of type object");
  const included: string[][] = [];
  const excluded: string[][] = [];
  const computed: { path: string[]; evaluate: Evaluator }[] = [];
  let id: boolean | undefined;

  visit(spec, []);

  const inclusive = [...included, ...computed.map(({ path }) => path)];
  if (inclusive.length > 0 && excluded.length > 0) {
    const [name] = Object.keys(spec).filter((key) => key !== '_id');
    const inclusionFirst = inclusive.some((path) => path[0] === name?.split('.')[0]);
    throw inclusionFirst
      ? new CommandError(
          31254,
          `Cannot do exclusion on field ${excluded[0]?.join('.')} in inclusion projection`,
        )
      : new CommandError(
          31253,
          `Cannot do inclusion on field ${inclusive[0]?.join('.')} in exclusion projection`,
        );
  }
  const inclusion = inclusive.length > 0 || (excluded.length === 0 && id === true);
  if (inclusion && id !== false) included.push(['_id']);
  if (!inclusion && id === false) excluded.push(['_id']);
  const tree = buildTree(inclusion ? included : excluded);
  return (doc) =>
    computed.reduce(
      (result, { path, evaluate }) => {
        const value = evaluate(doc);
        return value === undefined ? result : (withField(result, path, value) as Doc);
      },
      inclusion ? include(doc, tree) : exclude(doc, tree),
    );

  function visit(node: Doc, prefix: string[]): void {
    const entries = Object.entries(node);
    if (entries.length === 0 && prefix.length > 0) {
      throw new CommandError(
        51270,
        `An empty sub-projection is not a valid value. Found empty object at path ${prefix.join('.')}`,
      );
    }
    for (const [name, value] of entries) {
      checkFieldName(name);
      if (name.endsWith('.$')) throw badValue('positional projection is not supported');
      const path = [...prefix, ...name.split('.')];
      if (typeof value === 'boolean' || isNumeric(value)) {
        if (path.join('.') === '_id') id = truthy(value);
        else (truthy(value) ? included : excluded).push(path);
      } else if (isDoc(value) && !Object.keys(value)[0]?.startsWith('$')) visit(value, path);
      else computed.push({ path, evaluate: compileField(value) });
    }
  }

  function compileField(expression: unknown): Evaluator {
    const [operator] = isDoc(expression) ? Object.keys(expression) : [];
    if (operator !== undefined && !Object.hasOwn(EXPRESSION_OPERATORS, operator)) {
      throw new CommandError(31325, `Invalid $project :: caused by :: Unknown expression ${operator}`);
    }
    return compileExpression(expression, scope);
  }
}

/** $unset */
export function removeFields(argument: unknown): Projection {
  const names = [argument].flat();
  if (names.length === 0) {
    throw new CommandError(
      31119,
      '$unset specification must be a string or an array with at least one field',
    );
  }
  for (const name of names) {
    if (typeof name !== 'string') {
      throw new CommandError(31002, '$unset specification must be a string or an array');
    }
    checkFieldName(name);
  }
  const tree = buildTree((names as string[]).map((name) => name.split('.')));
  return (doc) => exclude(doc, tree);
}

/** $addFields and $set: an embedded document adds to what is there, an expression replaces it. */
export function addFields(spec: unknown, scope: Scope): Projection {
  if (!isDoc(spec)) throw new CommandError(40272, '$addFields specification stage must be an object');
  const fields: { path: string[]; evaluate: Evaluator }[] = [];
  visit(spec, []);
  return (doc) => {
    const values = fields.map(({ evaluate }) => evaluate(doc));
    return fields.reduce((result, { path }, i) => withField(result, path, values[i]) as Doc, doc);
  };

  function visit(node: Doc, prefix: string[]): void {
    for (const [name, value] of Object.entries(node)) {
      checkFieldName(name);
      const path = [...prefix, ...name.split('.')];
      const [first] = isDoc(value) ? Object.keys(value) : [];
      if (first !== undefined && !first.startsWith('$')) visit(value as Doc, path);
      else fields.push({ path, evaluate: compileExpression(value, scope) });
    }
  }
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
    if (value !== undefined) setField(result, name, value);
  }
  return result;
}

function includeValue(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) {
    return value.map((element) => includeValue(element, tree)).filter((element) => element !== undefined);
  }
  return isDoc(value) ? include(value, tree) : undefined;
}

function exclude(doc: Doc, tree: Tree): Doc {
  const result: Doc = {};
  for (const name of Object.keys(doc)) {
    const branch = tree[name];
    if (branch !== true) setField(result, name, branch ? excludeValue(doc[name], branch) : doc[name]);
  }
  return result;
}

function excludeValue(value: unknown, tree: Tree): unknown {
  if (Array.isArray(value)) return value.map((element) => excludeValue(element, tree));
  return isDoc(value) ? exclude(value, tree) : value;
}
