import type { Any, AnyObject, Options } from 'mingo/types';
import { CommandError } from '../errors.ts';

export type Operator = (doc: AnyObject, expression: Any, options: Options) => unknown;

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

export function first(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

export function pair(operator: string, value: unknown): [unknown, unknown] {
  if (!Array.isArray(value) || value.length !== 2) {
    const count = Array.isArray(value) ? value.length : 1;
    throw new CommandError(
      16020,
      `Expression ${operator} takes exactly 2 arguments. ${count} were passed in.`,
    );
  }
  return value as [unknown, unknown];
}
