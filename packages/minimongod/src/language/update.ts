import type { Collation } from '../bson/collation.ts';
import { equalValues } from '../bson/compare.ts';
import { toShell } from '../bson/to-shell.ts';
import { typeName } from '../bson/types.ts';
import { clone, type Doc, isDoc } from '../bson/value.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { withIdFirst } from './document-id.ts';
import type { Scope } from './expression-context.ts';
import { parseStage, STAGES, UPDATE_STAGES } from './stages.ts';
import type { Apply } from './update-context.ts';
import { UPDATE_OPERATORS } from './update-operators.ts';
import { comparePaths, parsePath } from './update-path.ts';

export interface Update {
  readonly kind: 'replacement' | 'operators' | 'pipeline';
  /** The document after the update; `doc` itself does not change. */
  apply(doc: Doc, inserting?: boolean): Doc;
}

/** Parses an update of any of the three forms, and refuses a wrong one before a document is read. */
export function parseUpdate(update: unknown, scope: Scope): Update {
  if (Array.isArray(update)) {
    const apply = compileUpdatePipeline(update, scope);
    return { kind: 'pipeline', apply: (doc) => keepId(doc, apply(doc)) };
  }
  if (!isDoc(update)) throw failedToParse('Update argument must be either an object or an array');
  const [first] = Object.keys(update);
  if (first?.startsWith('$')) return parseOperators(update, scope.collation);
  const dollar = Object.keys(update).find((name) => name.startsWith('$'));
  if (dollar !== undefined) parsePath(dollar);
  return { kind: 'replacement', apply: (doc) => keepId(doc, clone(update)) };
}

/** https://www.mongodb.com/docs/manual/tutorial/update-documents-with-aggregation-pipeline/ */
function compileUpdatePipeline(pipeline: readonly unknown[], scope: Scope): (doc: Doc) => Doc {
  const stages = pipeline.map((stage) => {
    const { name, argument } = parseStage(stage);
    const compile = Object.hasOwn(UPDATE_STAGES, name) ? UPDATE_STAGES[name] : undefined;
    if (compile) return compile(argument, scope);
    throw Object.hasOwn(STAGES, name)
      ? new CommandError(72, `${name} is not allowed to be used within an update`)
      : new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
  });
  return (doc) => stages.reduce((current, apply) => apply(current), doc);
}

interface Action {
  readonly path: readonly string[];
  readonly apply: Apply;
}

function parseOperators(update: Doc, collation: Collation | undefined): Update {
  const actions: Action[] = [];
  const touched: (readonly string[])[] = [];
  for (const [operator, fields] of Object.entries(update)) {
    const parse = Object.hasOwn(UPDATE_OPERATORS, operator) ? UPDATE_OPERATORS[operator] : undefined;
    if (!parse) {
      throw failedToParse(
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDoc(fields)) {
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${toShell(fields)}}`,
      );
    }
    for (const [name, argument] of Object.entries(fields)) {
      const path = parsePath(name);
      actions.push({ path, apply: parse(argument, name) });
      touched.push(path);
      if (operator === '$rename') touched.push(parsePath(argument as string));
    }
  }
  checkConflicts(touched);
  actions.sort((a, b) => comparePaths(a.path, b.path));
  return {
    kind: 'operators',
    apply(before, inserting = false) {
      const doc = clone(before);
      for (const { path, apply } of actions) apply({ doc, path, collation, inserting });
      if (before._id === undefined || equalValues(before._id, doc._id)) return doc;
      throw new CommandError(
        66,
        "Performing an update on the path '_id' would modify the immutable field '_id'",
      );
    },
  };
}

function checkConflicts(paths: (readonly string[])[]): void {
  const sorted = paths.toSorted(comparePaths);
  sorted.forEach((path, i) => {
    const shorter = sorted[i - 1];
    if (!shorter?.every((component, depth) => path[depth] === component)) return;
    throw new CommandError(
      40,
      `Updating the path '${path.join('.')}' would create a conflict at '${shorter.join('.')}'`,
    );
  });
}

/** A replacement or a pipeline may omit _id, but not change it. */
function keepId(before: Doc, after: Doc): Doc {
  if (before._id === undefined) return after;
  if (after._id !== undefined && !equalValues(before._id, after._id)) {
    throw new CommandError(
      66,
      `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${toShell(after._id)}`,
    );
  }
  return withIdFirst({ ...after, _id: before._id });
}
