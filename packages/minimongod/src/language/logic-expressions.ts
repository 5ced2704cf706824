import { compareValues } from '../bson/compare.ts';
import { isNullish, isNumeric, typeName } from '../bson/types.ts';
import { isDoc, truthy } from '../bson/value.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { type Operator, parameters, positional, VARIADIC } from './expression-context.ts';

export const LOGIC_OPERATORS: Record<string, Operator> = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $and: (operand, { compile }) => {
    const terms = [operand].flat().map((term) => compile(term));
    return (variables) => terms.every((term) => truthy(term(variables)));
  },
  $or: (operand, { compile }) => {
    const terms = [operand].flat().map((term) => compile(term));
    return (variables) => terms.some((term) => truthy(term(variables)));
  },
  $not: positional([1, 1], ([value]) => !truthy(value)),
  $ifNull: (operand, { compile }) => {
    const terms = [operand].flat().map((term) => compile(term));
    if (terms.length < 2) {
      throw new CommandError(1257300, `$ifNull needs at least two arguments, had: ${terms.length}`);
    }
    return (variables) => {
      let value: unknown;
      for (const term of terms) {
        value = term(variables);
        if (!isNullish(value)) break;
      }
      return value;
    };
  },
  $cond: (operand, { compile }) => {
    let branches = operand;
    if (isDoc(operand)) {
      for (const name of ['if', 'then', 'else']) {
        if (!(name in operand)) throw new CommandError(17080, `Missing '${name}' parameter to $cond`);
      }
      branches = [operand.if, operand.then, operand.else];
    }
    if (!Array.isArray(branches) || branches.length !== 3) {
      const count = Array.isArray(branches) ? branches.length : 1;
      throw new CommandError(16020, `Expression $cond takes exactly 3 arguments. ${count} were passed in.`);
    }
    const [condition, then, otherwise] = branches.map((branch) => compile(branch));
    return (variables) => (truthy(condition?.(variables)) ? then : otherwise)?.(variables);
  },
  $switch: (operand, { compile, operator }) => {
    const given = parameters(operand, operator, { branches: 'required', default: 'optional' });
    if (!Array.isArray(given.branches) || given.branches.length === 0) {
      throw new CommandError(40068, '$switch requires at least one branch.');
    }
    const branches = given.branches.map((branch) => {
      const { case: condition, then } = parameters(branch, operator, { case: 'required', then: 'required' });
      return { condition: compile(condition), then: compile(then) };
    });
    const otherwise = 'default' in given ? compile(given.default) : undefined;
    return (variables) => {
      const branch = branches.find(({ condition }) => truthy(condition(variables)))?.then ?? otherwise;
      if (branch) return branch(variables);
      throw new CommandError(
        40066,
        '$switch could not find a matching branch for an input, and no default was specified.',
      );
    };
  },
  $let: (operand, { compile, operator }) => {
    const given = parameters(operand, operator, { vars: 'required', in: 'required' });
    if (!isDoc(given.vars)) throw failedToParse('invalid parameter: expected an object (vars)');
    const vars = Object.entries(given.vars).map(([name, value]) => [name, compile(value)] as const);
    const body = compile(
      given.in,
      vars.map(([name]) => name),
    );
    return (variables) =>
      body({ ...variables, ...Object.fromEntries(vars.map(([name, value]) => [name, value(variables)])) });
  },
  $literal: (operand) => () => operand,
  $type: positional([1, 1], ([value]) => typeName(value)),
  $isNumber: positional([1, 1], ([value]) => isNumeric(value)),
  $max: extreme(1),
  $min: extreme(-1),
};

function comparison(decide: (order: number) => unknown): Operator {
  return positional([2, 2], ([a, b], { scope }) => decide(compareValues(a, b, scope.collation)));
}

/** The greatest or least operand, or element of a single operand that is an array. */
function extreme(sign: 1 | -1): Operator {
  return positional(VARIADIC, (operands, { scope }) => {
    const values = operands.length === 1 ? operands.flat(1) : operands;
    return values
      .filter((value) => !isNullish(value))
      .reduce<unknown>(
        (best, value) =>
          best === null || compareValues(value, best, scope.collation) * sign > 0 ? value : best,
        null,
      );
  });
}
