import { equalValues } from '../bson/compare.ts';
import { clone, type Doc } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { checkId, withIdFirst } from './document-id.ts';
import type { Filter } from './filter.ts';
import type { Update } from './update.ts';
import { locate } from './update-path.ts';

/** The document that an upsert inserts: the filter's equalities, then the update. */
export function upsertDocument(filter: Filter, update: Update): Doc {
  const base: Doc = {};
  for (const { path, operand } of equalities(filter)) {
    if (update.kind === 'replacement' && path.join('.') !== '_id') continue;
    const place = locate(base, path, true);
    if (place?.value !== undefined && !equalValues(place.value, operand)) {
      throw new CommandError(
        54,
        `cannot infer query fields to set, path '${path.join('.')}' is matched twice`,
      );
    }
    place?.set(clone(operand));
  }
  const doc = withIdFirst(update.apply(base, true));
  checkId(doc._id);
  return doc;
}

function equalities(filter: Filter): { path: readonly string[]; operand: unknown }[] {
  if (filter.kind === 'and' || (filter.kind === 'or' && filter.children.length === 1)) {
    return filter.children.flatMap(equalities);
  }
  if (filter.kind !== 'field' || filter.path === null) return [];
  const { path, operator, operand } = filter;
  if (operator === '$eq') return [{ path, operand }];
  const [only, ...others] = operator === '$in' ? (operand as unknown[]) : [];
  return only !== undefined && others.length === 0 ? [{ path, operand: only }] : [];
}
