import { type Doc, getField, isDoc, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { checkExpression, type Evaluate } from './expression.ts';
import type { Projection } from './projection.ts';

/** $addFields and $set. A nested document adds to what is there, an expression replaces it. */
export function parseAddFields(spec: unknown, evaluate: Evaluate): Projection {
  if (!isDoc(spec)) {
    throw new CommandError(40272, '$addFields specification stage must be an object');
  }
  const fields: [string[], unknown][] = [];
  visit(spec, []);
  return (doc) => {
    const values = fields.map(([, expression]) => evaluate(doc, expression));
    let result = doc;
    fields.forEach(([path], i) => {
      result = withField(result, path, values[i]) as Doc;
    });
    return result;
  };

  function visit(node: Doc, prefix: string[]): void {
    for (const [name, value] of Object.entries(node)) {
      if (name === '') throw new CommandError(40352, 'FieldPath cannot be constructed with empty string');
      if (name.startsWith('$')) {
        throw new CommandError(
          16410,
          `FieldPath field names may not start with '$'. Consider using $getField or $setField.`,
        );
      }
      const path = [...prefix, ...name.split('.')];
      if (isDoc(value) && Object.keys(value).length > 0 && !Object.keys(value)[0]?.startsWith('$')) {
        visit(value, path);
      } else {
        checkExpression(value);
        fields.push([path, value]);
      }
    }
  }
}

/** A copy with the field set, through arrays in each element; an undefined value takes it away. */
function withField(container: unknown, path: readonly string[], value: unknown): unknown {
  if (path.length === 0) return value;
  if (Array.isArray(container)) return container.map((element) => withField(element, path, value));
  const [name, ...rest] = path as [string, ...string[]];
  if (value === undefined && !isDoc(container)) return container;
  const result: Doc = {};
  if (isDoc(container)) for (const key of Object.keys(container)) setField(result, key, container[key]);
  const child = withField(getField(result, name), rest, value);
  if (child === undefined) delete result[name];
  else setField(result, name, child);
  return result;
}

export function setComputed(doc: Doc, path: readonly string[], value: unknown): void {
  const [name] = path as [string];
  setField(doc, name, withField(getField(doc, name), path.slice(1), value));
}
