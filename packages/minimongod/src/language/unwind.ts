import { type Doc, getField, integer, isDoc, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import type { Stage } from './stages.ts';

/** https://www.mongodb.com/docs/manual/reference/operator/aggregation/unwind/ */
export function unwind(argument: unknown): Stage {
  const spec: Doc = isDoc(argument) ? argument : { path: argument };
  const { path, includeArrayIndex, preserveNullAndEmptyArrays = false } = spec;
  if (typeof path !== 'string') {
    throw new CommandError(28808, 'expected a string as the path for $unwind stage');
  }
  if (!path.startsWith('$')) {
    throw new CommandError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  }
  const unknown = Object.keys(spec).find(
    (name) => !['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(name),
  );
  if (unknown) throw new CommandError(28811, `unrecognized option to $unwind stage: ${unknown}`);
  const names = path.slice(1).split('.');
  return function* unwound(docs) {
    for (const doc of docs) {
      const value = names.reduce<unknown>(
        (inner, name) => (isDoc(inner) ? getField(inner, name) : undefined),
        doc,
      );
      if (Array.isArray(value) && value.length > 0) {
        for (const [i, element] of value.entries())
          yield withIndex(replaced(doc, names, element), integer(i));
      } else if (value !== undefined && value !== null && !Array.isArray(value)) {
        yield withIndex(doc, null);
      } else if (preserveNullAndEmptyArrays === true) {
        yield withIndex(Array.isArray(value) ? replaced(doc, names, undefined) : doc, null);
      }
    }
  };

  function withIndex(doc: Doc, index: unknown): Doc {
    return typeof includeArrayIndex === 'string' ? replaced(doc, includeArrayIndex.split('.'), index) : doc;
  }
}

function replaced(doc: Doc, [name, ...rest]: string[], value: unknown): Doc {
  const copy: Doc = {};
  for (const key of Object.keys(doc)) setField(copy, key, doc[key]);
  if (name === undefined) return copy;
  const child = rest.length === 0 ? value : replaced((getField(doc, name) ?? {}) as Doc, rest, value);
  if (child === undefined) delete copy[name];
  else setField(copy, name, child);
  return copy;
}
