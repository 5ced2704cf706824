import { shell } from '../bson/shell.ts';
import { typeName } from '../bson/types.ts';
import { type Doc, isDoc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { checkExpression, type Evaluate } from './expression.ts';

/** A pipeline stage's name and argument. */
export function stageOf(stage: unknown): [string, unknown] {
  if (!isDoc(stage)) throw new CommandError(14, "Each element of the 'pipeline' array must be an object");
  const entries = Object.entries(stage);
  if (entries.length !== 1) {
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  return entries[0] as [string, unknown];
}

export function unsetNames(argument: unknown): string[] {
  const names = Array.isArray(argument) ? argument : [argument];
  if (names.length === 0) {
    throw new CommandError(
      31119,
      '$unset specification must be a string or an array with at least one field',
    );
  }
  for (const name of names) {
    if (typeof name !== 'string') {
      throw new CommandError(31002, '$unset specification must be a string or an array');
    }
    if (name.startsWith('$')) {
      throw new CommandError(
        16410,
        `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
      );
    }
  }
  return names as string[];
}

export function replaceRoot(name: string, argument: unknown, evaluate: Evaluate): (doc: Doc) => Doc {
  if (name === '$replaceRoot' && (!isDoc(argument) || !('newRoot' in argument))) {
    throw new CommandError(40231, 'no newRoot specified for the $replaceRoot stage');
  }
  const expression = name === '$replaceRoot' ? (argument as Doc).newRoot : argument;
  checkExpression(expression);
  return (doc) => {
    const root = evaluate(doc, expression);
    if (!isDoc(root)) {
      throw new CommandError(
        40228,
        `'newRoot' expression must evaluate to an object, but resulting value was: ${shell(root)}. Type of resulting value: '${typeName(root)}'. Input document: ${shell(doc)}`,
      );
    }
    return root;
  };
}
