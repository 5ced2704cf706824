import { type Doc, isDoc } from '../bson/value.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { createEvaluate } from '../language/expression.ts';
import { stageOf } from '../language/stage.ts';
import { countOnly, leadingQuery } from '../plan/aggregate.ts';
import type { Plan } from '../plan/planner.ts';
import { countQuery, type FindRequest, newStats, prepareQuery, runQuery } from '../plan/query.ts';
import type { Collection } from '../store/store.ts';
import {
  type Command,
  type CommandContext,
  collationOf,
  evaluateOf,
  hintOf,
  requiredArray,
  scopeOf,
} from './command.ts';
import { findRequest } from './find-request.ts';

/** The plan and, unless only that is asked for, what running it touches. */
export const explain: Command = {
  options: ['verbosity'],
  run(command, context) {
    const inner = command.explain;
    if (!isDoc(inner)) throw failedToParse('explain command requires a nested object');
    const [name] = Object.keys(inner);
    const target = explained(name ?? '', inner, context);
    if (!target) {
      throw new CommandError(59, `Explain failed due to unknown command: ${name}`);
    }
    const { collection, request, counts } = target;
    const query = prepareQuery(context.store, collection, request);
    const { plan } = query;
    const winningPlan = stages(plan);
    const namespace = `${context.db}.${String(inner[name ?? ''])}`;
    const result: Doc = { explainVersion: '1', queryPlanner: { namespace, winningPlan, rejectedPlans: [] } };
    if (command.verbosity !== 'queryPlanner') {
      const stats = newStats();
      let nReturned = 0;
      if (collection && counts) {
        countQuery(context.store, collection, query, stats);
      } else if (collection) {
        for (const _ of runQuery(context.store, collection, query, stats)) nReturned++;
      }
      result.executionStats = {
        executionSuccess: true,
        nReturned,
        totalKeysExamined: stats.keysExamined,
        totalDocsExamined: stats.docsExamined,
      };
    }
    return result;
  },
};

function stages(plan: Plan): Doc {
  if (!plan.sorted) return { stage: 'SORT', inputStage: stages({ ...plan, sorted: true } as Plan) };
  if (plan.stage === 'COLLSCAN') return { stage: plan.stage };
  if (plan.stage !== 'IXSCAN') return { stage: plan.stage, inputStages: plan.branches.map(stages) };
  const { index, ranges, merges, backward } = plan;
  const scan = {
    stage: 'IXSCAN',
    keyPattern: index.key,
    indexName: index.name,
    isMultiKey: index.multikey !== 0,
    direction: backward ? 'backward' : 'forward',
  };
  const inputStage = merges ? { stage: 'SORT_MERGE', inputStages: ranges.map(() => scan) } : scan;
  return { stage: 'FETCH', inputStage };
}

function explained(
  name: string,
  inner: Doc,
  { store, db, now }: CommandContext,
): { collection: Collection | undefined; request: FindRequest; counts?: boolean } | undefined {
  const collection = store.find(db, String(inner[name]));
  const base = { collation: collationOf(inner, collection), evaluate: evaluateOf(inner, collection, now) };
  switch (name) {
    case 'find':
      return { collection, request: findRequest(inner, collection, now) };
    case 'count':
      return { collection, request: { ...base, filter: inner.query ?? {} }, counts: true };
    case 'distinct':
    case 'findAndModify':
      return { collection, request: { ...base, filter: inner.query ?? {}, sort: inner.sort } };
    case 'update':
    case 'delete': {
      const [statement] = requiredArray(inner, name, name === 'update' ? 'updates' : 'deletes') as Doc[];
      const collation = statement ? collationOf(statement, collection) : undefined;
      return { collection, request: { ...base, collation, filter: statement?.q ?? {} } };
    }
    case 'aggregate': {
      const scope = scopeOf(inner, collection, now);
      const stages = requiredArray(inner, name, 'pipeline').map(stageOf);
      const hint = hintOf(inner.hint, collection);
      const { request, used } = leadingQuery(stages, { scope, hint }, createEvaluate(scope));
      return { collection, request, counts: countOnly(stages.slice(used)) !== undefined };
    }
    default:
      return undefined;
  }
}
