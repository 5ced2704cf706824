import { Long } from 'bson';
import { parseCollation } from '../bson/collation.ts';
import { typeName } from '../bson/types.ts';
import { asInteger, bsonType, type Doc, isDoc } from '../bson/value.ts';
import { badValue, CommandError, missingField, typeMismatch } from '../errors.ts';
import type { Scope } from '../language/expression-context.ts';
import type { Collection, Store } from '../store/store.ts';
import type { Cursors } from '../wire/cursors.ts';

export interface CommandContext {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly connectionId: number;
  /** Unix milliseconds. */
  readonly clock: () => number;
  readonly db: string;
  readonly now: Date;
}

export interface Command {
  /** The supported options, separated by spaces. Any other is refused, because it might change the meaning. */
  readonly options?: string;
  /** Whether the command runs in a transaction. */
  readonly writes?: boolean;
  /** Returns the fields of the reply, or the whole reply. Only a command that does not write may take its time. */
  run(command: Doc, context: CommandContext): Doc | Buffer | Promise<Doc>;
}

/** The collection that a command names in `field`. */
export function collectionName(command: Doc, field: string, db: string): string {
  const name = command[field];
  if (typeof name !== 'string') {
    throw new CommandError(73, `collection name has invalid type ${typeName(name)}`);
  }
  if (name === '') throw new CommandError(73, `Invalid namespace specified '${db}.'`);
  return name;
}

export function optionalInteger(command: Doc, name: string, field: string): number | undefined {
  const value = command[field];
  if (value === undefined || value === null) return undefined;
  const number = asInteger(value);
  if (number === undefined) {
    throw typeMismatch(
      `BSON field '${name}.${field}' is the wrong type '${typeName(value)}', expected types '[long, int, decimal, double]'`,
    );
  }
  if (number >= 2 ** 63) throw badValue(`BSON field '${field}' cannot be represented as a 64-bit integer`);
  if (number >= 0) return number;
  throw new CommandError(51024, `BSON field '${field}' value must be >= 0, actual value '${number}'`);
}

/** The batch size of a command with a `cursor` option. */
export function cursorBatchSize(command: Doc, name: string): number | undefined {
  return isDoc(command.cursor) ? optionalInteger(command.cursor, name, 'batchSize') : undefined;
}

export function requiredArray(command: Doc, name: string, field: string): unknown[] {
  const value = command[field];
  if (value === undefined) throw missingField(`${name}.${field}`);
  if (Array.isArray(value)) return value;
  throw typeMismatch(
    `BSON field '${name}.${field}' is the wrong type '${typeName(value)}', expected type 'array'`,
  );
}

/** The scope of a command's or a statement's expressions and comparisons. */
export function scopeOf(command: Doc, collection: Collection | undefined, now: Date): Scope {
  const collation =
    command.collation === undefined ? collection?.collation : parseCollation(command.collation);
  return { collation, now };
}

/** The name of the hinted index, 'COLLSCAN' for $natural. */
export function hintOf(hint: unknown, collection: Collection | undefined): string | undefined {
  if (hint === undefined || typeof hint === 'string') return hint;
  if (!isDoc(hint)) throw badValue('Hint must be a string or an object');
  if (Object.keys(hint).length === 0) return undefined;
  if ('$natural' in hint) return 'COLLSCAN';
  const pattern = (key: Doc) =>
    JSON.stringify(Object.entries(key).map(([name, order]) => [name, asInteger(order)]));
  const index = collection?.indexes.find(({ key }) => pattern(key) === pattern(hint));
  return index?.name ?? pattern(hint);
}

export function cursorId(value: unknown): Long {
  if (bsonType(value) === 'Long') return value as Long;
  const number = asInteger(value);
  if (number !== undefined) return Long.fromNumber(number);
  throw typeMismatch(`cursor id has the wrong type '${typeName(value)}', expected type 'long'`);
}
