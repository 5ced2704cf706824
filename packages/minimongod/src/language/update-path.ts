import { isArrayIndex } from '../bson/path.ts';
import { shell } from '../bson/shell.ts';
import { typeName } from '../bson/types.ts';
import { type Doc, getField, isDoc, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';

/** The place of one field: its container and the key in it. */
export interface Place {
  readonly value: unknown;
  set(value: unknown): void;
  remove(): void;
}

/** An array longer than this by a positional update is refused, as MongoDB does. */
const MAX_PADDING = 1_500_000;

/**
 * Finds the field of an update path; with `create` what is missing on the way is made. Undefined where the field is
 * not there and need not be. A scalar in the way is PathNotViable.
 */
export function locate(doc: Doc, path: readonly string[], create: boolean): Place | undefined {
  let container: unknown = doc;
  const created: (() => void)[] = [];
  for (let depth = 0; ; depth++) {
    const name = path[depth] as string;
    const last = depth === path.length - 1;
    if (Array.isArray(container)) {
      if (!isArrayIndex(name)) {
        if (!create) return undefined;
        throw notViable(path, depth, container);
      }
      if (last) return elementPlace(container, Number(name), created);
    } else if (isDoc(container)) {
      if (last) return fieldPlace(container, name, created);
    } else {
      if (!create) return undefined;
      throw notViable(path, depth, container);
    }
    const child: unknown = Array.isArray(container)
      ? container[Number(name)]
      : getField(container as Doc, name);
    if (child === undefined) {
      if (!create) return undefined;
      const fresh: Doc = {};
      const parent: unknown = container;
      created.push(() => put(parent as Doc | unknown[], name, fresh));
      container = fresh;
    } else container = child;
  }

  function notViable(whole: readonly string[], depth: number, value: unknown): CommandError {
    return new CommandError(
      28,
      `Cannot create field '${whole[depth]}' in element {${whole[depth - 1]}: ${shell(value)}}`,
    );
  }
}

function put(container: Doc | unknown[], name: string, value: unknown): void {
  if (Array.isArray(container)) pad(container, Number(name), value);
  else setField(container, name, value);
}

function pad(array: unknown[], index: number, value: unknown): void {
  if (index - array.length > MAX_PADDING) {
    throw new CommandError(2, `can't backfill more than ${MAX_PADDING} elements`);
  }
  while (array.length < index) array.push(null);
  array[index] = value;
}

function fieldPlace(container: Doc, name: string, created: (() => void)[]): Place {
  return {
    value: getField(container, name),
    set(value) {
      for (const make of created) make();
      setField(container, name, value);
    },
    remove() {
      delete container[name];
    },
  };
}

function elementPlace(container: unknown[], index: number, created: (() => void)[]): Place {
  return {
    value: container[index],
    set(value) {
      for (const make of created) make();
      pad(container, index, value);
    },
    remove() {
      // an element leaves a null behind, the others keep their places
      if (index < container.length) container[index] = null;
    },
  };
}

/** Update paths in the order in which MongoDB applies them: by name, array positions by number. */
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

export interface Positions {
  /** The element that the query matched, for `$`. */
  matched(array: readonly string[]): number | undefined;
  /** The test of the array filter for `$[name]`. */
  filter(name: string): (element: unknown) => boolean;
}

/** The concrete paths behind one with `$`, `$[]` or `$[name]` in it. */
export function resolvePositions(doc: Doc, path: readonly string[], positions: Positions): string[][] {
  const at = path.findIndex((component) => component.startsWith('$'));
  if (at < 0) return [[...path]];
  const component = path[at] as string;
  const prefix = path.slice(0, at);
  const rest = path.slice(at + 1);
  if (component === '$') {
    const index = positions.matched(prefix);
    if (index === undefined) {
      throw new CommandError(2, 'The positional operator did not find the match needed from the query.');
    }
    return resolvePositions(doc, [...prefix, String(index), ...rest], positions);
  }
  const array = locate(doc, prefix, false)?.value;
  if (!Array.isArray(array)) {
    if (array === undefined) {
      throw new CommandError(
        2,
        `The path '${prefix.join('.')}' must exist in the document in order to apply array updates.`,
      );
    }
    throw new CommandError(
      2,
      `Cannot apply array updates to non-array element ${prefix.at(-1)}: ${shell(array)} of type ${typeName(array)}`,
    );
  }
  const test = component === '$[]' ? () => true : positions.filter(component.slice(2, -1));
  return array.flatMap((element, i) =>
    test(element) ? resolvePositions(doc, [...prefix, String(i), ...rest], positions) : [],
  );
}
