import { isArrayIndex } from '../bson/paths.ts';
import { toShell } from '../bson/to-shell.ts';
import { type Doc, getField, isDoc, setField } from '../bson/value.ts';
import { badValue, CommandError } from '../errors.ts';

/** The place of one field: its container and the key in it. */
export interface Place {
  readonly value: unknown;
  set(value: unknown): void;
  remove(): void;
}

/** MongoDB's limit for the nulls that a positional path adds to an array. */
const MAX_PADDING = 1_500_000;

/**
 * Finds the field of an update path. Returns undefined if it does not exist, unless `create` is set: then `set`
 * creates the missing parents.
 * @throws PathNotViable with `create`, when a scalar is on the path.
 */
export function locate(doc: Doc, path: readonly string[], create: boolean): Place | undefined {
  let container: unknown = doc;
  const created: (() => void)[] = [];
  for (let depth = 0; ; depth++) {
    const name = path[depth] as string;
    const viable = Array.isArray(container) ? isArrayIndex(name) : isDoc(container);
    if (!viable) {
      if (!create) return undefined;
      const parent = `{${path[depth - 1]}: ${toShell(container)}}`;
      throw new CommandError(28, `Cannot create field '${name}' in element ${parent}`);
    }
    const parent = container as Doc | unknown[];
    const value = Array.isArray(parent) ? parent[Number(name)] : getField(parent, name);
    if (depth === path.length - 1) return place(parent, name, value, created);
    if (value === undefined) {
      if (!create) return undefined;
      const child: Doc = {};
      created.push(() => put(parent, name, child));
      container = child;
    } else container = value;
  }
}

function place(container: Doc | unknown[], name: string, value: unknown, created: (() => void)[]): Place {
  return {
    value,
    set(replacement) {
      for (const create of created) create();
      put(container, name, replacement);
    },
    remove() {
      // A removed element leaves null, so that the other elements keep their positions.
      if (!Array.isArray(container)) delete container[name];
      else if (Number(name) < container.length) container[Number(name)] = null;
    },
  };
}

function put(container: Doc | unknown[], name: string, value: unknown): void {
  if (!Array.isArray(container)) {
    setField(container, name, value);
    return;
  }
  const index = Number(name);
  if (index - container.length > MAX_PADDING)
    throw badValue(`can't backfill more than ${MAX_PADDING} elements`);
  while (container.length < index) container.push(null);
  container[index] = value;
}

export function parsePath(name: string): string[] {
  if (name === '') throw new CommandError(56, 'An empty update path is not valid.');
  const path = name.split('.');
  if (path.includes('')) {
    throw new CommandError(
      56,
      `The update path '${name}' contains an empty field name, which is not allowed.`,
    );
  }
  const dollar = path.find((component) => component.startsWith('$'));
  if (dollar === undefined) return path;
  throw new CommandError(
    52,
    `The dollar ($) prefixed field '${dollar}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

/** MongoDB applies the paths of an update in this order: by name, array positions by number. */
export function comparePaths(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a[i] as string;
    const y = b[i] as string;
    if (x === y) continue;
    if (isArrayIndex(x) && isArrayIndex(y)) return Number(x) - Number(y);
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}
