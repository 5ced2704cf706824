import { type Doc, isDoc } from '../bson/value.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { parseStage } from '../language/stages.ts';
import { countStage, leadingQuery } from '../plan/aggregate.ts';
import type { Plan } from '../plan/plan.ts';
import { countQuery, prepareQuery, type QueryRequest, runQuery } from '../plan/query.ts';
import { newStats } from '../plan/scan.ts';
import type { Collection } from '../store/store.ts';
import { type Command, type CommandContext, hintOf, requiredArray, scopeOf } from './command.ts';
import { findRequest } from './read-commands.ts';

/** Reports the plan and, unless the verbosity is queryPlanner, what running it examines. */
export const explain: Command = {
  options: 'verbosity',
  run(command, context) {
    const { store, db } = context;
    const explained = command.explain;
    if (!isDoc(explained)) throw failedToParse('explain command requires a nested object');
    const [name = ''] = Object.keys(explained);
    const namespace = `${db}.${String(explained[name])}`;
    const { collection, request, counts } = explainedQuery(name, explained, context);
    const query = prepareQuery(store, collection, request);
    const queryPlanner = { namespace, winningPlan: describe(query.plan), rejectedPlans: [] };
    if (command.verbosity === 'queryPlanner') return { explainVersion: '1', queryPlanner };
    const stats = newStats();
    let nReturned = 0;
    if (collection && counts) countQuery(store, collection, query, stats);
    else if (collection) for (const _ of runQuery(store, collection, query, stats)) nReturned++;
    return {
      explainVersion: '1',
      queryPlanner,
      executionStats: {
        executionSuccess: true,
        nReturned,
        totalKeysExamined: stats.keysExamined,
        totalDocsExamined: stats.docsExamined,
      },
    };
  },
};

function describe(plan: Plan): Doc {
  if (!plan.sorted) return { stage: 'SORT', inputStage: describe({ ...plan, sorted: true } as Plan) };
  if (plan.stage === 'COLLSCAN') return { stage: plan.stage };
  if (plan.stage !== 'IXSCAN') return { stage: plan.stage, inputStages: plan.branches.map(describe) };
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

/** The query that a command runs. */
function explainedQuery(
  name: string,
  command: Doc,
  { store, db, now }: CommandContext,
): { collection: Collection | undefined; request: QueryRequest; counts?: boolean } {
  const collection = store.find(db, String(command[name]));
  const scope = scopeOf(command, collection, now);
  const hint = hintOf(command.hint, collection);
  switch (name) {
    case 'find':
      return { collection, request: findRequest(command, collection, now) };
    case 'count':
      return { collection, request: { filter: command.query, hint, scope }, counts: true };
    case 'distinct':
    case 'findAndModify':
      return { collection, request: { filter: command.query, sort: command.sort, hint, scope } };
    case 'update':
    case 'delete': {
      const [statement] = requiredArray(command, name, name === 'update' ? 'updates' : 'deletes') as Doc[];
      const { q: filter, sort } = statement ?? {};
      return { collection, request: { filter, sort, scope: scopeOf(statement ?? {}, collection, now) } };
    }
    case 'aggregate': {
      const stages = requiredArray(command, name, 'pipeline').map(parseStage);
      const { query, used } = leadingQuery(stages, { scope, hint });
      return { collection, request: query, counts: countStage(stages.slice(used)) !== undefined };
    }
    default:
      throw new CommandError(59, `Explain failed due to unknown command: ${name}`);
  }
}
