import type { Collation } from '../bson/collation.ts';
import { equalValues } from '../bson/compare.ts';
import { shell } from '../bson/shell.ts';
import { typeName } from '../bson/types.ts';
import { clone, type Doc, isDoc } from '../bson/value.ts';
import { badValue, CommandError, failedToParse } from '../errors.ts';
import { withIdFirst } from '../store/documents.ts';
import type { Evaluate } from './expression.ts';
import type { Filter } from './filter.ts';
import { KEEP, MODIFIERS, REMOVE, type UpdateContext } from './update-operators.ts';
import { comparePaths, locate, resolvePositions } from './update-path.ts';
import { applyPipeline } from './update-pipeline.ts';
import { parseArrayFilters, positionsOf } from './update-positions.ts';

export interface UpdateRequest {
  readonly filter: Filter;
  readonly update: unknown;
  readonly arrayFilters?: unknown;
  readonly collation: Collation | undefined;
  readonly evaluate: Evaluate;
  readonly now: Date;
}

export interface Update {
  readonly kind: 'replacement' | 'modifiers' | 'pipeline';
  /** The document after the update; the one given is left as it is. */
  apply(doc: Doc, inserting?: boolean): Doc;
}

export interface Action {
  readonly operator: string;
  readonly path: readonly string[];
  readonly argument: unknown;
}

/** Parses an update of any of the three forms; what is wrong with it is told before a document is read. */
export function parseUpdate(request: UpdateRequest): Update {
  const { update } = request;
  if (Array.isArray(update)) {
    if (request.arrayFilters !== undefined) {
      throw failedToParse('arrayFilters may not be specified for pipeline-syle updates');
    }
    const apply = applyPipeline(update, request.evaluate);
    return { kind: 'pipeline', apply: (doc) => keepingId(doc, apply(doc)) };
  }
  if (!isDoc(update)) throw failedToParse('Update argument must be either an object or an array');
  const [first] = Object.keys(update);
  if (!first?.startsWith('$')) {
    if (Object.keys(update).some((name) => name.startsWith('$'))) {
      const name = Object.keys(update).find((key) => key.startsWith('$'));
      throw new CommandError(
        52,
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
    return { kind: 'replacement', apply: (doc) => keepingId(doc, clone(update)) };
  }
  const actions = parseActions(update);
  const filters = parseArrayFilters(request.arrayFilters, actions, request.collation);
  return {
    kind: 'modifiers',
    apply(doc, inserting = false) {
      const result = clone(doc);
      const context = { now: request.now, collation: request.collation, id: doc._id };
      const positions = positionsOf(doc, request, filters);
      for (const action of actions) {
        if (action.operator === '$setOnInsert' && !inserting) continue;
        for (const path of resolvePositions(result, action.path, positions)) {
          applyAction(result, action, path, context);
        }
      }
      if (!inserting || doc._id !== undefined) checkIdKept(doc, result);
      return result;
    },
  };
}

function parseActions(update: Doc): Action[] {
  const actions: Action[] = [];
  for (const [operator, fields] of Object.entries(update)) {
    if (!Object.hasOwn(MODIFIERS, operator) && operator !== '$rename' && operator !== '$setOnInsert') {
      throw failedToParse(
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDoc(fields)) {
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${shell(fields)}}`,
      );
    }
    for (const [name, argument] of Object.entries(fields)) {
      actions.push({ operator, path: parsePath(name), argument });
      if (operator === '$rename') checkRename(name, argument);
      else (MODIFIERS[operator] ?? MODIFIERS.$set)?.parse(argument, name);
    }
  }
  const touched = actions.flatMap(({ operator, path, argument }) =>
    operator === '$rename' ? [path, parsePath(argument as string)] : [path],
  );
  touched.sort(comparePaths);
  for (let i = 1; i < touched.length; i++) {
    const shorter = touched[i - 1] as readonly string[];
    const longer = touched[i] as readonly string[];
    if (shorter.every((component, depth) => longer[depth] === component)) {
      throw new CommandError(
        40,
        `Updating the path '${longer.join('.')}' would create a conflict at '${shorter.join('.')}'`,
      );
    }
  }
  return actions.sort((a, b) => comparePaths(a.path, b.path));
}

function parsePath(name: string): string[] {
  if (name === '') throw new CommandError(56, 'An empty update path is not valid.');
  const path = name.split('.');
  if (path.includes('')) {
    throw new CommandError(
      56,
      `The update path '${name}' contains an empty field name, which is not allowed.`,
    );
  }
  path.forEach((component, depth) => {
    if (!component.startsWith('$')) return;
    const positional = component === '$' || /^\$\[\w*\]$/.test(component);
    if (!positional) {
      throw new CommandError(
        52,
        `The dollar ($) prefixed field '${component}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
    if (depth === 0)
      throw badValue(`Cannot have positional (i.e. '$') element in the first position in path '${name}'`);
  });
  return path;
}

function checkRename(from: string, to: unknown): void {
  if (typeof to !== 'string')
    throw badValue(`The 'to' field for $rename must be a string: ${from}: ${shell(to)}`);
  if (from === to) throw badValue(`The source and target field for $rename must differ: ${from}: "${to}"`);
  if (from.includes('$') || to.includes('$')) {
    throw badValue(`The source field for $rename may not be dynamic: ${from}`);
  }
}

function applyAction(doc: Doc, action: Action, path: string[], context: UpdateContext): void {
  const { operator, argument } = action;
  if (operator === '$rename') {
    rename(doc, path, parsePath(argument as string));
    return;
  }
  const modifier = operator === '$setOnInsert' ? MODIFIERS.$set : MODIFIERS[operator];
  if (!modifier) throw new Error(`no such modifier: ${operator}`);
  const place = locate(doc, path, modifier.creates);
  if (!place) return;
  const name = path.join('.');
  const value = modifier.parse(argument, name)(place.value, name, context);
  if (value === KEEP) return;
  if (value === REMOVE) place.remove();
  else place.set(value);
}

function rename(doc: Doc, from: string[], to: string[]): void {
  for (const path of [from, to]) {
    for (let depth = 1; depth < path.length; depth++) {
      if (Array.isArray(locate(doc, path.slice(0, depth), false)?.value)) {
        const side = path === from ? 'source' : 'destination';
        throw badValue(
          `The ${side} field cannot be an array element, '${path.join('.')}' in doc with _id: ${shell(doc._id)} has an array field called '${path[depth - 1]}'`,
        );
      }
    }
  }
  const source = locate(doc, from, false);
  if (source?.value === undefined) return;
  source.remove();
  locate(doc, to, true)?.set(source.value);
}

/** A replacement and a pipeline may leave _id out, but not change it. */
function keepingId(before: Doc, after: Doc): Doc {
  if (before._id === undefined) return after;
  if (after._id === undefined) return { _id: before._id, ...after };
  if (!equalValues(before._id, after._id)) {
    throw new CommandError(
      66,
      `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${shell(after._id)}`,
    );
  }
  return withIdFirst({ ...after, _id: before._id });
}

function checkIdKept(before: Doc, after: Doc): void {
  if (before._id !== undefined && !equalValues(before._id, after._id)) {
    throw new CommandError(
      66,
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    );
  }
}
