import { collationOf, evaluateOf, hintOf, optionalInteger } from './command.ts';
import type { FindRequest } from './query.ts';
import type { Collection } from './store.ts';
import type { Doc } from './value.ts';

export function findRequest(command: Doc, collection: Collection | undefined, now: Date): FindRequest {
  return {
    filter: command.filter ?? {},
    sort: command.sort,
    skip: optionalInteger(command, 'find', 'skip') ?? 0,
    limit: optionalInteger(command, 'find', 'limit') ?? 0,
    projection: command.projection,
    collation: collationOf(command, collection),
    hint: hintOf(command.hint, collection),
    evaluate: evaluateOf(command, collection, now),
  };
}
