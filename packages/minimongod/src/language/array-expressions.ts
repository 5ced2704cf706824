import { equalValues } from '../bson/compare.ts';
import { isNullish, typeName } from '../bson/types.ts';
import { asInteger, type Doc, getField, isDoc, setField, truthy } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import {
  type Compiled,
  nullable,
  type Operator,
  parameters,
  positional,
  VARIADIC,
} from './expression-context.ts';

export const ARRAY_OPERATORS: Record<string, Operator> = {
  $isArray: positional([1, 1], ([value]) => Array.isArray(value)),
  $size: positional([1, 1], ([value]) => {
    if (Array.isArray(value)) return value.length;
    throw new CommandError(
      17124,
      `The argument to $size must be an array, but was of type: ${typeName(value)}`,
    );
  }),
  $in: positional([2, 2], ([value, array], { scope }) => {
    if (Array.isArray(array)) return array.some((element) => equalValues(element, value, scope.collation));
    throw new CommandError(40081, `$in requires an array as a second argument, found: ${typeName(array)}`);
  }),
  $arrayElemAt: nullable([2, 2], ([array, index], { operator }) => {
    const elements = arrayOf(array, operator, 28689);
    const position = asInteger(index);
    if (position !== undefined) return elements.at(position);
    throw new CommandError(
      28690,
      `$arrayElemAt's second argument must be a numeric value, but is ${typeName(index)}`,
    );
  }),
  $first: nullable([1, 1], ([array], { operator }) => arrayOf(array, operator, 28689).at(0)),
  $last: nullable([1, 1], ([array], { operator }) => arrayOf(array, operator, 28689).at(-1)),
  $slice: nullable([2, 2], ([array, count], { operator }) => {
    const elements = arrayOf(array, operator, 28724);
    const number = asInteger(count);
    if (number !== undefined) return number >= 0 ? elements.slice(0, number) : elements.slice(number);
    throw new CommandError(
      28725,
      `Second argument to $slice must be a numeric value, but is of type: ${typeName(count)}`,
    );
  }),
  $concatArrays: nullable(VARIADIC, (arrays) => {
    const wrong = arrays.find((value) => !Array.isArray(value));
    if (wrong === undefined) return arrays.flat(1);
    throw new CommandError(28664, `$concatArrays only supports arrays, not ${typeName(wrong)}`);
  }),
  $filter: (operand, { compile, operator }) => {
    const given = parameters(operand, operator, { input: 'required', as: 'optional', cond: 'required' });
    const { input, name, body } = iteration(given, given.cond, compile);
    return (variables) => {
      const elements = input(variables);
      if (isNullish(elements)) return null;
      return arrayOf(elements, operator, 28651).filter((element) =>
        truthy(body({ ...variables, [name]: element })),
      );
    };
  },
  $map: (operand, { compile, operator }) => {
    const given = parameters(operand, operator, { input: 'required', as: 'optional', in: 'required' });
    const { input, name, body } = iteration(given, given.in, compile);
    return (variables) => {
      const elements = input(variables);
      if (isNullish(elements)) return null;
      return arrayOf(elements, operator, 16883).map(
        (element) => body({ ...variables, [name]: element }) ?? null,
      );
    };
  },
  $reduce: (operand, { compile, operator }) => {
    const given = parameters(operand, operator, {
      input: 'required',
      initialValue: 'required',
      in: 'required',
    });
    const input = compile(given.input);
    const initial = compile(given.initialValue);
    const body = compile(given.in, ['this', 'value']);
    return (variables) => {
      const elements = input(variables);
      if (isNullish(elements)) return null;
      return arrayOf(elements, operator, 40080).reduce<unknown>(
        (value, element) => body({ ...variables, this: element, value }),
        initial(variables),
      );
    };
  },
  $mergeObjects: positional(VARIADIC, (operands) => {
    const merged: Doc = {};
    for (const doc of operands.length === 1 ? operands.flat(1) : operands) {
      if (isNullish(doc)) continue;
      if (!isDoc(doc)) {
        throw new CommandError(
          40400,
          `$mergeObjects requires object inputs, but input is of type ${typeName(doc)}`,
        );
      }
      for (const name of Object.keys(doc)) setField(merged, name, getField(doc, name));
    }
    return merged;
  }),
};

/** The input, the variable and the body of an operator that visits each element; the variable defaults to `this`. */
function iteration(
  { input, as: name = 'this' }: Record<string, unknown>,
  body: unknown,
  compile: (expression: unknown, variables?: readonly string[]) => Compiled,
) {
  if (typeof name !== 'string' || !/^[a-z\u0080-\uffff]\w*$/.test(name)) {
    throw new CommandError(
      16867,
      `'${String(name)}' starts with an invalid character for a user variable name`,
    );
  }
  return { input: compile(input), name, body: compile(body, [name]) };
}

function arrayOf(value: unknown, operator: string, code: number): unknown[] {
  if (Array.isArray(value)) return value;
  throw new CommandError(code, `input to ${operator} must be an array not ${typeName(value)}`);
}
