import type { Collation } from '../bson/collation.ts';
import { compareValues } from '../bson/compare.ts';
import { EMPTY_ARRAY, extractValues, valueAt } from '../bson/paths.ts';
import { toShell } from '../bson/to-shell.ts';
import { isNumeric } from '../bson/types.ts';
import { type Doc, isDoc, toNumber } from '../bson/value.ts';
import { badValue, CommandError, typeMismatch } from '../errors.ts';

export interface SortField {
  readonly name: string;
  readonly path: readonly string[];
  readonly descending: boolean;
}

export function parseSort(sort: unknown): SortField[] {
  if (sort === undefined || sort === null) return [];
  if (!isDoc(sort)) throw typeMismatch("Expected field 'sort' to be of type object");
  return Object.entries(sort).map(([name, direction]) => {
    if (!isNumeric(direction)) {
      throw new CommandError(15974, `Illegal key in $sort specification: ${name}: ${toShell(direction)}`);
    }
    const number = toNumber(direction);
    if (number !== 1 && number !== -1) {
      throw new CommandError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    }
    if (name.startsWith('$') && name !== '$natural') {
      throw badValue("FieldPath field names may not start with '$'. Consider using $getField or $setField.");
    }
    return { name, path: name.split('.'), descending: number < 0 };
  });
}

export function compareBySort(sort: readonly SortField[], collation?: Collation) {
  return (a: readonly unknown[], b: readonly unknown[]): number => {
    for (let i = 0; i < sort.length; i++) {
      const order = compareValues(a[i], b[i], collation);
      if (order !== 0) return (sort[i] as SortField).descending ? -order : order;
    }
    return 0;
  };
}

/** The values that a document sorts by: the least element of an array, or the greatest in descending order. */
export function sortKeys(sort: readonly SortField[], doc: unknown, collation?: Collation): unknown[] {
  return sort.map(({ path, descending }) => {
    if (!isDoc(doc)) return null;
    const scalar = valueAt(doc, path);
    if (scalar !== undefined && !Array.isArray(scalar)) return scalar;
    // An empty array sorts below null, a missing field like null.
    const values = extractValues(doc, path).map((value) =>
      value === EMPTY_ARRAY ? undefined : (value ?? null),
    );
    return values.reduce((chosen, value) => {
      const order = compareValues(value, chosen, collation);
      return (descending ? order > 0 : order < 0) ? value : chosen;
    });
  });
}

/** Sorts stably, and extracts the keys of each document once. */
export function sortDocs<T>(
  entries: Iterable<T>,
  sort: readonly SortField[],
  docOf: (entry: T) => Doc,
  collation?: Collation,
): T[] {
  const compare = compareBySort(sort, collation);
  return Array.from(entries, (entry) => ({ entry, keys: sortKeys(sort, docOf(entry), collation) }))
    .sort((a, b) => compare(a.keys, b.keys))
    .map(({ entry }) => entry);
}
