import type { Collation } from '../bson/collation.ts';
import { isNullish, typeName } from '../bson/types.ts';
import { isDoc } from '../bson/value.ts';
import { CommandError, failedToParse } from '../errors.ts';

/** What all expressions of a command share. */
export interface Scope {
  readonly collation: Collation | undefined;
  /** $$NOW, the same throughout a command. */
  readonly now: Date;
}

/** The variables in effect: ROOT, and those that $let, $map and the like bind. */
type Variables = Readonly<Record<string, unknown>>;

/** A compiled expression. Undefined stands for a missing value. */
export type Compiled = (variables: Variables) => unknown;

export interface Context {
  readonly operator: string;
  readonly scope: Scope;
  /** Compiles a nested expression, which may use the additional variables. */
  compile(expression: unknown, variables?: readonly string[]): Compiled;
}

/** Compiles the operand of an expression operator. */
export type Operator = (operand: unknown, context: Context) => Compiled;

/** Any number of operands. */
export const VARIADIC = [0, Number.POSITIVE_INFINITY] as const;

/** An operator with positional operands, whose number has limits; a single operand need not be in an array. */
export function positional(
  [min, max]: readonly [number, number],
  evaluate: (values: unknown[], context: Context) => unknown,
): Operator {
  return (operand, context) => {
    const operands = Array.isArray(operand) ? operand : [operand];
    const { length } = operands;
    if (length < min || length > max) {
      const limits =
        min === max
          ? `takes exactly ${min} arguments. ${length} were passed in.`
          : `takes at least ${min} arguments, and at most ${max}, but ${length} were passed in.`;
      throw new CommandError(min === max ? 16020 : 28667, `Expression ${context.operator} ${limits}`);
    }
    const compiled = operands.map((each) => context.compile(each));
    return (variables) =>
      evaluate(
        compiled.map((each) => each(variables)),
        context,
      );
  };
}

/** The same, with null as the result if any operand is null or missing. */
export function nullable(
  limits: readonly [number, number],
  evaluate: (values: unknown[], context: Context) => unknown,
): Operator {
  return positional(limits, (values, context) => (values.some(isNullish) ? null : evaluate(values, context)));
}

/** The operand of an operator with named parameters. */
export function parameters(
  operand: unknown,
  operator: string,
  names: Readonly<Record<string, 'required' | 'optional'>>,
): Record<string, unknown> {
  if (!isDoc(operand)) {
    throw failedToParse(`${operator} only supports an object as its argument, not ${typeName(operand)}`);
  }
  const unknown = Object.keys(operand).find((name) => !Object.hasOwn(names, name));
  if (unknown !== undefined) throw failedToParse(`Unrecognized argument to ${operator}: ${unknown}`);
  const missing = Object.keys(names).find((name) => names[name] === 'required' && !(name in operand));
  if (missing !== undefined) throw failedToParse(`Missing '${missing}' parameter to ${operator}`);
  return operand;
}
