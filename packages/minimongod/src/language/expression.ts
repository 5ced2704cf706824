import { type Doc, getField, isDoc, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { ARRAY_OPERATORS } from './array-expressions.ts';
import type { Compiled, Operator, Scope } from './expression-context.ts';
import { LOGIC_OPERATORS } from './logic-expressions.ts';
import { SCALAR_OPERATORS } from './scalar-expressions.ts';

export type Evaluator = (doc: Doc) => unknown;

export const EXPRESSION_OPERATORS: Record<string, Operator> = {
  ...LOGIC_OPERATORS,
  ...ARRAY_OPERATORS,
  ...SCALAR_OPERATORS,
};

/** https://www.mongodb.com/docs/manual/reference/mql/expressions/ */
export function compileExpression(expression: unknown, scope: Scope): Evaluator {
  const compiled = compile(expression, scope, []);
  return (doc) => compiled({ ROOT: doc });
}

function compile(expression: unknown, scope: Scope, variables: readonly string[]): Compiled {
  if (typeof expression === 'string' && expression.startsWith('$')) return path(expression, scope, variables);
  if (Array.isArray(expression)) {
    const elements = expression.map((element) => compile(element, scope, variables));
    return (values) => elements.map((element) => element(values) ?? null);
  }
  if (!isDoc(expression)) return () => expression;
  const [name] = Object.keys(expression);
  if (name?.startsWith('$')) return operation(name, expression, scope, variables);
  const fields = Object.entries(expression).map(([field, value]) => {
    checkFieldName(field);
    return [field, compile(value, scope, variables)] as const;
  });
  return (values) => {
    const doc: Doc = {};
    for (const [field, compiled] of fields) {
      const value = compiled(values);
      if (value !== undefined) setField(doc, field, value);
    }
    return doc;
  };
}

function operation(name: string, expression: Doc, scope: Scope, variables: readonly string[]): Compiled {
  if (Object.keys(expression).length > 1) {
    throw new CommandError(
      15983,
      `An object representing an expression must have exactly one field: ${JSON.stringify(expression)}`,
    );
  }
  const operator = Object.hasOwn(EXPRESSION_OPERATORS, name) ? EXPRESSION_OPERATORS[name] : undefined;
  if (!operator) throw new CommandError(168, `Unrecognized expression '${name}'`);
  return operator(expression[name], {
    operator: name,
    scope,
    compile: (nested, more = []) => compile(nested, scope, [...variables, ...more]),
  });
}

/** A field path such as '$a.b', or a variable such as '$$this.a'. */
function path(text: string, { now }: Scope, variables: readonly string[]): Compiled {
  const isVariable = text.startsWith('$$');
  const [name = '', ...rest] = isVariable ? text.slice(2).split('.') : ['ROOT', ...text.slice(1).split('.')];
  if (name === '' || rest.includes('')) {
    throw new CommandError(40353, "FieldPath must not end with a '.' or contain an empty field name.");
  }
  if (name === 'NOW') return () => now;
  if (name === 'REMOVE') return () => undefined;
  const variable = name === 'CURRENT' ? 'ROOT' : name;
  if (variable !== 'ROOT' && !variables.includes(variable)) {
    throw new CommandError(17276, `Use of undefined variable: ${name}`);
  }
  return (values) => descend(values[variable], rest, 0);
}

/** Unlike a query path, an expression path maps arrays and knows no positions in them. */
function descend(value: unknown, path: readonly string[], depth: number): unknown {
  if (depth === path.length) return value;
  if (Array.isArray(value)) {
    const found = value.filter(isDoc).map((element) => descend(element, path, depth));
    return found.filter((element) => element !== undefined);
  }
  return isDoc(value) ? descend(getField(value, path[depth] as string), path, depth + 1) : undefined;
}

/** Refuses a field name that is empty or begins with a dollar sign. */
export function checkFieldName(name: string): void {
  if (name === '') throw new CommandError(40352, 'FieldPath cannot be constructed with empty string');
  if (name.startsWith('$')) {
    throw new CommandError(
      16410,
      "FieldPath field names may not start with '$'. Consider using $getField or $setField.",
    );
  }
}
