import type { Collation } from '../bson/collation.ts';
import { type Doc, isDoc } from '../bson/value.ts';
import { badValue, failedToParse } from '../errors.ts';
import { type Filter, parseFilter } from './filter.ts';
import { compileFilter } from './match.ts';
import type { Action, UpdateRequest } from './update.ts';
import { locate, type Positions } from './update-path.ts';

export type ArrayFilters = Map<string, (element: unknown) => boolean>;

export function parseArrayFilters(
  given: unknown,
  actions: Action[],
  collation: Collation | undefined,
): ArrayFilters {
  const filters: ArrayFilters = new Map();
  if (given !== undefined && !Array.isArray(given)) throw failedToParse("'arrayFilters' must be an array");
  for (const spec of (given ?? []) as unknown[]) {
    const filter = parseFilter(spec);
    const names = new Set(
      Object.keys(spec as Doc)
        .filter((key) => !key.startsWith('$'))
        .map((key) => key.split('.')[0] as string),
    );
    for (const name of nestedNames(spec)) names.add(name);
    const [name] = names;
    if (name === undefined)
      throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
    if (names.size > 1) {
      throw failedToParse(
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${[...names].join("' and '")}'`,
      );
    }
    if (filters.has(name)) {
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`);
    }
    if (!actions.some(({ path }) => path.includes(`$[${name}]`))) {
      throw failedToParse(
        `The array filter for identifier '${name}' was not used in the update { ${actions[0]?.operator}: ... }`,
      );
    }
    const test = compileFilter(filter, { collation });
    filters.set(name, (element) => test({ [name]: element }));
  }
  for (const { path } of actions) {
    for (const component of path) {
      const name = /^\$\[(\w+)\]$/.exec(component)?.[1];
      if (name !== undefined && !filters.has(name)) {
        throw badValue(`No array filter found for identifier '${name}' in path '${path.join('.')}'`);
      }
    }
  }
  return filters;
}

function nestedNames(spec: unknown): string[] {
  if (!isDoc(spec)) return [];
  return ['$and', '$or', '$nor'].flatMap((operator) => {
    const list = spec[operator];
    if (!Array.isArray(list)) return [];
    return list.flatMap((entry: Doc) => [
      ...Object.keys(entry)
        .filter((key) => !key.startsWith('$'))
        .map((key) => key.split('.')[0] as string),
      ...nestedNames(entry),
    ]);
  });
}

export function positionsOf(
  doc: Doc,
  { filter, collation }: UpdateRequest,
  filters: ArrayFilters,
): Positions {
  return {
    matched: (array) => matchedElement(doc, array, filter, collation),
    filter: (name) => filters.get(name) as (element: unknown) => boolean,
  };
}

/** The first element of an array that satisfies the query's conditions on it, for the positional `$`. */
function matchedElement(
  doc: Doc,
  path: readonly string[],
  filter: Filter,
  collation: Collation | undefined,
): number | undefined {
  const array = locate(doc, path, false)?.value;
  const conditions = conditionsOn(filter, path);
  if (!Array.isArray(array) || conditions.length === 0) return undefined;
  const tests = conditions.map((condition) => compileFilter(condition, { collation }));
  const alone = (element: unknown): Doc =>
    path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), [element]) as Doc;
  const every = array.findIndex((element) => tests.every((test) => test(alone(element))));
  if (every >= 0) return every;
  const some = array.findIndex((element) => tests.some((test) => test(alone(element))));
  return some < 0 ? undefined : some;
}

function conditionsOn(filter: Filter, path: readonly string[]): Filter[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.children.flatMap((child) => conditionsOn(child, path));
    case 'field':
    case 'elemMatch':
      return filter.path && path.every((component, i) => filter.path?.[i] === component) ? [filter] : [];
    default:
      return [];
  }
}
