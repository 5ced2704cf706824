import { type Doc, getField, isDoc } from './value.ts';

const DIGITS = /^(0|[1-9]\d*)$/;

export function isArrayIndex(component: string): boolean {
  return DIGITS.test(component);
}

/**
 * Whether `test` holds for any value that a query path reaches, as
 * https://www.mongodb.com/docs/manual/tutorial/query-array-of-documents/ describes: arrays on the way are searched,
 * an array at the end counts for each of its elements and for itself. A missing field is visited as undefined.
 */
export function someValue(
  root: unknown,
  path: readonly string[],
  expandLeaf: boolean,
  test: (value: unknown) => boolean,
): boolean {
  return visit(root, 0, false);

  function visit(value: unknown, depth: number, inArray: boolean): boolean {
    if (depth === path.length) {
      if (test(value)) return true;
      return expandLeaf && Array.isArray(value) && value.some(test);
    }
    const component = path[depth] as string;
    if (Array.isArray(value)) {
      if (isArrayIndex(component) && Number(component) < value.length) {
        if (visit(value[Number(component)], depth + 1, true)) return true;
      }
      for (const element of value) {
        if (isDoc(element) && visit(element, depth, true)) return true;
      }
      return false;
    }
    if (isDoc(value)) {
      const field = getField(value, component);
      return field === undefined ? test(undefined) : visit(field, depth + 1, false);
    }
    return !inArray && test(undefined);
  }
}

interface Pending {
  value: unknown;
  rest: readonly string[];
}

export interface ExtractedKeys {
  /** One list of values per index key; a missing field is undefined. */
  keys: unknown[][];
  /** Bit i: there was an array on path i. */
  multikey: number;
}

/** Thrown by its code in index.ts: two arrays beside each other have no order of combination. */
export class ParallelArrays extends Error {}

/**
 * The values that an index over `paths` holds for a document: an array gives a key per element, and paths through
 * the same array stay together per element (https://www.mongodb.com/docs/manual/core/indexes/index-types/index-multikey/).
 */
export function extractKeys(doc: Doc, paths: readonly (readonly string[])[]): ExtractedKeys {
  const keys: unknown[][] = [];
  let multikey = 0;
  expand(paths.map((path) => walk({ value: doc, rest: path })));
  return { keys, multikey };

  function expand(fields: Pending[]): void {
    const array = fields.find((field) => needsExpansion(field))?.value as unknown[] | undefined;
    if (!array) {
      keys.push(fields.map((field) => field.value));
      return;
    }
    if (fields.some((field) => needsExpansion(field) && field.value !== array)) throw new ParallelArrays();
    fields.forEach((field, i) => {
      if (field.value === array) multikey |= 1 << i;
    });
    if (array.length === 0) {
      expand(
        fields.map((field) =>
          field.value === array ? { value: field.rest.length ? undefined : EMPTY_ARRAY, rest: [] } : field,
        ),
      );
      return;
    }
    array.forEach((element, i) => {
      const variants = fields.map((field) => (field.value === array ? descend(field, element, i) : [field]));
      for (const combination of product(variants)) expand(combination);
    });
  }
}

/** What an empty array is indexed as: below null, so that it never equals a missing field. */
export const EMPTY_ARRAY = Symbol('empty array');

/** An element as a whole: it is indexed as it is, even where it is an array again. */
class Leaf {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

export function leafValue(value: unknown): unknown {
  return value instanceof Leaf ? value.value : value;
}

function needsExpansion({ value }: Pending): boolean {
  return Array.isArray(value);
}

function descend(field: Pending, element: unknown, position: number): Pending[] {
  const { rest } = field;
  if (rest.length === 0) return [{ value: new Leaf(element), rest }];
  const reached: Pending[] = [];
  if (isArrayIndex(rest[0] as string) && Number(rest[0]) === position) {
    reached.push(walk({ value: element, rest: rest.slice(1) }));
  }
  if (isDoc(element)) reached.push(walk({ value: element, rest }));
  return reached.length ? reached : [{ value: undefined, rest: [] }];
}

function walk({ value, rest }: Pending): Pending {
  let depth = 0;
  while (depth < rest.length && isDoc(value)) value = getField(value, rest[depth++] as string);
  if (Array.isArray(value)) return { value, rest: rest.slice(depth) };
  return { value: depth === rest.length ? value : undefined, rest: [] };
}

function product(lists: Pending[][]): Pending[][] {
  return lists.reduce<Pending[][]>(
    (combinations, list) => combinations.flatMap((head) => list.map((field) => [...head, field])),
    [[]],
  );
}
