import { equalValues } from '../bson/compare.ts';
import { clone, type Doc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { checkId, withIdFirst } from '../store/documents.ts';
import type { Filter } from './filter.ts';
import type { Update, UpdateRequest } from './update.ts';
import { locate } from './update-path.ts';

/** The document that an upsert inserts: the filter's equalities, then the update. */
export function upsertDocument(request: UpdateRequest, update: Update): Doc {
  const base: Doc = {};
  if (update.kind === 'replacement') {
    const id = equalities(request.filter).find(({ path }) => path.length === 1 && path[0] === '_id');
    if (id) base._id = id.operand;
  } else {
    for (const { path, operand } of equalities(request.filter)) {
      const place = locate(base, path, true);
      if (place?.value !== undefined && !equalValues(place.value, operand)) {
        throw new CommandError(
          54,
          `cannot infer query fields to set, path '${path.join('.')}' is matched twice`,
        );
      }
      place?.set(clone(operand));
    }
  }
  const doc = withIdFirst(update.apply(base, true));
  checkId(doc._id);
  return doc;
}

function equalities(filter: Filter): { path: readonly string[]; operand: unknown }[] {
  if (filter.kind === 'and') return filter.children.flatMap(equalities);
  if (filter.kind === 'or' && filter.children.length === 1) return filter.children.flatMap(equalities);
  if (filter.kind !== 'field' || filter.path === null) return [];
  const { path, operator, operand } = filter;
  if (operator === '$eq') return [{ path, operand }];
  if (operator === '$in' && (operand as unknown[]).length === 1) {
    return [{ path, operand: (operand as unknown[])[0] }];
  }
  return [];
}
