import type { Doc } from '../bson/value.ts';
import type { FindRequest } from '../plan/query.ts';
import type { Collection } from '../store/store.ts';
import { collationOf, evaluateOf, hintOf, optionalInteger } from './command.ts';

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
