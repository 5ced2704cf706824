import type { Doc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { parseAddFields } from './add-fields.ts';
import type { Evaluate } from './expression.ts';
import { parseProjection, removeFields } from './projection.ts';
import { replaceRoot, stageOf, unsetNames } from './stage.ts';

/** The stages that an update may use: https://www.mongodb.com/docs/manual/tutorial/update-documents-with-aggregation-pipeline/ */
export function applyPipeline(pipeline: readonly unknown[], evaluate: Evaluate): (doc: Doc) => Doc {
  const steps = pipeline.map((stage) => {
    const [name, argument] = stageOf(stage);
    switch (name) {
      case '$set':
      case '$addFields':
        return parseAddFields(argument, evaluate);
      case '$unset':
        return removeFields(unsetNames(argument));
      case '$project':
        return parseProjection(argument, { evaluate, stage: true });
      case '$replaceRoot':
      case '$replaceWith':
        return replaceRoot(name, argument, evaluate);
      default:
        throw new CommandError(
          KNOWN_ELSEWHERE.has(name) ? 72 : 40324,
          KNOWN_ELSEWHERE.has(name)
            ? `${name} is not allowed to be used within an update`
            : `Unrecognized pipeline stage name: '${name}'`,
        );
    }
  });
  return (doc) => steps.reduce((current, step) => step(current), doc);
}

const KNOWN_ELSEWHERE = new Set([
  '$match',
  '$group',
  '$sort',
  '$limit',
  '$skip',
  '$lookup',
  '$unwind',
  '$facet',
  '$count',
]);
