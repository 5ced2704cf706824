import { Aggregator } from 'mingo/aggregator';
import { Context, evalExpr } from 'mingo/core';
import * as accumulators from 'mingo/operators/accumulator';
import * as expressions from 'mingo/operators/expression';
import type { Any, AnyObject, Options } from 'mingo/types';
import type { Collation } from '../bson/collation.ts';
import { bsonType, type Doc, isDoc, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { correctedExpressions } from './expression-operators.ts';

export type Evaluate = (doc: unknown, expression: unknown) => unknown;

/** MongoDB refuses to run a client's JavaScript where it is switched off, as it is here. */
const REFUSED = new Set(['$function', '$accumulator', '$where', '$toHashedIndexKey']);

const context = Context.init({
  expression: { ...expressions, ...correctedExpressions } as never,
  accumulator: { ...accumulators } as never,
});

export interface Scope {
  readonly collation?: Collation | undefined;
  readonly variables?: Doc | undefined;
  /** $$NOW, the same for a whole command. */
  readonly now: Date;
}

/** An evaluator of aggregation expressions over mingo, for one command. */
export function createEvaluate(scope: Scope): Evaluate {
  let options: Options | undefined;
  const checked = new Map<unknown, unknown>();
  return (doc, expression) => {
    options ??= computeOptions(scope);
    let ready = checked.get(expression);
    if (ready === undefined) {
      checkExpression(expression);
      ready = expression;
      if (typeof expression === 'object') checked.set(expression, ready);
    }
    return settle(evalExpr(doc as AnyObject, expression as Any, options));
  };
}

interface ComputeOptions extends Options {
  readonly options: Options;
}

let template: ComputeOptions | undefined;

/** mingo does not export the class of its options, but hands an instance to every stage; it is copied per command. */
function computeOptions({ variables = {}, now }: Scope): Options {
  if (!template) {
    const $capture = (docs: unknown, _argument: unknown, options: ComputeOptions) => {
      template = options;
      return docs;
    };
    const stages = Context.from(context).addPipelineOps({ $capture } as never);
    new Aggregator([{ $capture: {} }], { context: stages, scriptEnabled: false }).run([]);
  }
  const { constructor: ComputeOptionsClass, options } = template as ComputeOptions & {
    constructor: new () => Options;
  };
  return Reflect.construct(ComputeOptionsClass, [{ ...options, variables }, { timestamp: now.getTime() }]);
}

/** Refuses what is no expression operator, before a single document is read. */
export function checkExpression(expression: unknown): void {
  if (Array.isArray(expression)) {
    expression.forEach(checkExpression);
    return;
  }
  if (!isDoc(expression)) return;
  const names = Object.keys(expression);
  const operator = names[0];
  if (operator?.startsWith('$')) {
    if (names.length > 1) {
      throw new CommandError(
        15983,
        `An object representing an expression must have exactly one field: ${JSON.stringify(expression)}`,
      );
    }
    if (operator === '$literal') return;
    if (!isExpressionOperator(operator)) {
      throw new CommandError(168, `Unrecognized expression '${operator}'`);
    }
    if (operator === '$const') return;
  } else if (names.some((name) => name.startsWith('$'))) {
    throw new CommandError(
      16410,
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    );
  }
  for (const name of names) checkExpression(expression[name]);
}

export function isExpressionOperator(name: string): boolean {
  if (REFUSED.has(name)) return false;
  return (
    context.getOperator('expression' as never, name) !== null ||
    context.getOperator('accumulator' as never, name) !== null
  );
}

/** A field whose expression came to nothing is absent; an array element is null. */
export function settle(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.some((element) => element === undefined || isContainer(element))
      ? value.map((element) => (element === undefined ? null : settle(element)))
      : value;
  }
  if (value instanceof RegExp || bsonType(value) || !isDoc(value)) return value;
  const result: Doc = {};
  for (const [name, field] of Object.entries(value)) {
    if (field !== undefined) setField(result, name, settle(field));
  }
  return result;
}

function isContainer(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** An accumulator of $group that has no implementation of its own here. */
export function accumulate(docs: unknown[], operator: string, expression: unknown, scope: Scope): unknown {
  if (REFUSED.has(operator) || context.getOperator('accumulator' as never, operator) === null) {
    throw new CommandError(15952, `unknown group operator '${operator}'`);
  }
  return settle(evalExpr(docs as never, { [operator]: expression } as never, computeOptions(scope)));
}

export const expressionContext = context;
