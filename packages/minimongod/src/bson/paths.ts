import { CommandError } from '../errors.ts';
import { type Doc, getField, isDoc, setField } from './value.ts';

const DIGITS = /^(0|[1-9]\d*)$/;

export function isArrayIndex(component: string): boolean {
  return DIGITS.test(component);
}

/**
 * Whether `test` holds for any value that a query path reaches. Arrays on the path are searched; an array at its
 * end counts as itself and as each of its elements. A missing field is tested as undefined.
 * https://www.mongodb.com/docs/manual/tutorial/query-array-of-documents/
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
      return test(value) || (expandLeaf && Array.isArray(value) && value.some(test));
    }
    const component = path[depth] as string;
    if (Array.isArray(value)) {
      if (isArrayIndex(component) && Number(component) < value.length) {
        if (visit(value[Number(component)], depth + 1, true)) return true;
      }
      return value.some((element) => isDoc(element) && visit(element, depth, true));
    }
    if (isDoc(value)) {
      const field = getField(value, component);
      return field === undefined ? test(undefined) : visit(field, depth + 1, false);
    }
    return !inArray && test(undefined);
  }
}

/** A field of an index while a document's keys are extracted: the value reached, and the rest of the path. */
interface Cursor {
  readonly value: unknown;
  readonly rest: readonly string[];
}

export interface ExtractedKeys {
  /** One list of values per key, with a value per path; a missing field is undefined. */
  readonly keys: unknown[][];
  /** Bit i is set if there is an array on path i. */
  readonly multikey: number;
}

/** The index value of an empty array: below null, so that it does not equal a missing field. */
export const EMPTY_ARRAY = Symbol('empty array');

/**
 * The keys that an index over `paths` holds for a document. An array yields a key per element, and paths through
 * the same array are combined per element.
 * https://www.mongodb.com/docs/manual/core/indexes/index-types/index-multikey/
 */
export function extractKeys(doc: Doc, paths: readonly (readonly string[])[]): ExtractedKeys {
  const cursors = paths.map((path) => follow(doc, path));
  if (!cursors.some(({ value }) => Array.isArray(value))) {
    return { keys: [cursors.map(({ value }) => value)], multikey: 0 };
  }
  const keys: unknown[][] = [];
  let multikey = 0;
  expand(cursors);
  return { keys, multikey };

  function expand(fields: Cursor[]): void {
    const array = fields.find(({ value }) => Array.isArray(value))?.value as unknown[] | undefined;
    if (!array) {
      keys.push(fields.map(({ value }) => (value instanceof Leaf ? value.value : value)));
      return;
    }
    if (fields.some(({ value }) => Array.isArray(value) && value !== array)) {
      const [first, second] = paths.map((path) => path.join('.'));
      throw new CommandError(171, `cannot index parallel arrays [${second}] [${first}]`);
    }
    fields.forEach(({ value }, i) => {
      if (value === array) multikey |= 1 << i;
    });
    if (array.length === 0) {
      const empty = ({ rest }: Cursor): Cursor => ({
        value: rest.length ? undefined : EMPTY_ARRAY,
        rest: [],
      });
      expand(fields.map((field) => (field.value === array ? empty(field) : field)));
      return;
    }
    array.forEach((element, i) => {
      const variants = fields.map((field) =>
        field.value === array ? descend(field.rest, element, i) : [field],
      );
      for (const combination of product(variants)) expand(combination);
    });
  }
}

/** The values that one path reaches; an empty array is EMPTY_ARRAY, a missing field is undefined. */
export function extractValues(doc: Doc, path: readonly string[]): unknown[] {
  return extractKeys(doc, [path]).keys.map(([value]) => value);
}

/** An element of an array at the end of a path: indexed as it is, even if it is an array itself. */
class Leaf {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

function follow(start: unknown, path: readonly string[]): Cursor {
  let value = start;
  let depth = 0;
  while (depth < path.length && isDoc(value)) value = getField(value, path[depth++] as string);
  if (Array.isArray(value)) return { value, rest: path.slice(depth) };
  return { value: depth === path.length ? value : undefined, rest: [] };
}

function descend(rest: readonly string[], element: unknown, position: number): Cursor[] {
  if (rest.length === 0) return [{ value: new Leaf(element), rest }];
  const reached: Cursor[] = [];
  if (isArrayIndex(rest[0] as string) && Number(rest[0]) === position) {
    reached.push(follow(element, rest.slice(1)));
  }
  if (isDoc(element)) reached.push(follow(element, rest));
  return reached.length ? reached : [{ value: undefined, rest: [] }];
}

function product(lists: Cursor[][]): Cursor[][] {
  return lists.reduce<Cursor[][]>(
    (combinations, list) => combinations.flatMap((head) => list.map((field) => [...head, field])),
    [[]],
  );
}

/** The value at a path through documents only; undefined where an array or a scalar is on the way. */
export function valueAt(doc: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isDoc(value) ? getField(value, name) : undefined), doc);
}

/** A copy with a field set; arrays on the path are mapped, an undefined value removes the field. */
export function withField(container: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  if (Array.isArray(container)) return container.map((element) => withField(element, path, value));
  const [name, ...rest] = path as [string, ...string[]];
  if (value === undefined && !isDoc(container)) return container;
  const copy: Doc = {};
  if (isDoc(container)) for (const key of Object.keys(container)) setField(copy, key, container[key]);
  const child = withField(getField(copy, name), rest, value);
  if (child === undefined) delete copy[name];
  else setField(copy, name, child);
  return copy;
}
