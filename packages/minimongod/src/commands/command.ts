import { Long } from 'bson';
import { type Collation, parseCollation } from '../bson/collation.ts';
import { typeName } from '../bson/types.ts';
import { asInteger, bsonType, type Doc, isDoc } from '../bson/value.ts';
import { badValue, CommandError, typeMismatch } from '../errors.ts';
import { createEvaluate, type Evaluate, type Scope } from '../language/expression.ts';
import type { Collection, Store } from '../store/store.ts';
import type { Cursors } from '../wire/cursors.ts';

export interface CommandContext {
  readonly store: Store;
  readonly cursors: Cursors;
  readonly connectionId: number;
  readonly startedAt: number;
  readonly db: string;
  readonly now: Date;
}

export interface Command {
  /** The options that are understood; another is refused, because it might change what is meant. */
  readonly options: readonly string[];
  /** Runs in one transaction. */
  readonly writes?: boolean;
  /** The fields of the reply, or a finished reply. */
  run(command: Doc, context: CommandContext): Doc | Buffer;
}

/** The collection's name that a command was sent for. */
export function collectionName(command: Doc, name: string, db: string): string {
  const value = command[name];
  if (typeof value !== 'string') {
    throw new CommandError(73, `collection name has invalid type ${typeName(value)}`);
  }
  if (value === '') throw new CommandError(73, `Invalid namespace specified '${db}.'`);
  return value;
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
  if (number < 0) {
    throw new CommandError(51024, `BSON field '${field}' value must be >= 0, actual value '${number}'`);
  }
  return number;
}

export function requiredArray(command: Doc, name: string, field: string): unknown[] {
  const value = command[field];
  if (value === undefined) {
    throw new CommandError(40414, `BSON field '${name}.${field}' is missing but a required field`);
  }
  if (!Array.isArray(value)) {
    throw typeMismatch(
      `BSON field '${name}.${field}' is the wrong type '${typeName(value)}', expected type 'array'`,
    );
  }
  return value;
}

export function collationOf(command: Doc, collection: Collection | undefined): Collation | undefined {
  return command.collation === undefined ? collection?.collation : parseCollation(command.collation);
}

/** $$NOW and the variables of `let`. */
export function scopeOf(command: Doc, collection: Collection | undefined, now: Date): Scope {
  const collation = collationOf(command, collection);
  const variables: Doc = {};
  if (isDoc(command.let)) {
    const evaluate = createEvaluate({ now });
    for (const [name, expression] of Object.entries(command.let)) variables[name] = evaluate({}, expression);
  }
  return { collation, variables, now };
}

export function evaluateOf(command: Doc, collection: Collection | undefined, now: Date): Evaluate {
  return createEvaluate(scopeOf(command, collection, now));
}

/** The name of the hinted index. */
export function hintOf(hint: unknown, collection: Collection | undefined): string | undefined {
  if (hint === undefined || typeof hint === 'string') return hint;
  if (!isDoc(hint)) throw badValue('Hint must be a string or an object');
  if (Object.keys(hint).length === 0) return undefined;
  if ('$natural' in hint) return 'COLLSCAN';
  const wanted = JSON.stringify(Object.entries(hint).map(([name, order]) => [name, asInteger(order)]));
  const index = collection?.indexes.find(
    ({ key }) =>
      JSON.stringify(Object.entries(key).map(([name, order]) => [name, asInteger(order)])) === wanted,
  );
  return index?.name ?? JSON.stringify(hint);
}

export function asLong(value: unknown): Long {
  if (bsonType(value) === 'Long') return value as Long;
  const number = asInteger(value);
  if (number === undefined) throw typeMismatch('a cursor id must be a long');
  return Long.fromNumber(number);
}
