import { invalidValue } from '@gatehouse/scim/errors';
import { listResponse, type ScimListQuery } from '@gatehouse/scim/list-query';
import type { Projection } from '@gatehouse/scim/projection';
import { type Fields, toMongodb } from '@gatehouse/scim/to-mongodb';
import { TIME_LIMIT } from '@gatehouse/shared/data/time-limit';
import type { Document, Sort } from 'mongodb';
import type { ScimCall } from '../call.ts';
import { usersOf } from './find.ts';
import { presentUsers, type ScimIdentity } from './present.ts';

const FIELDS: Fields = new Map([
  ['id', { path: 'identity_id', type: 'exact' }],
  ['username', { path: 'scim.user_name_key', type: 'folded' }],
  ['externalid', { path: 'scim.external_id', type: 'exact' }],
  ['active', { path: 'scim.active', type: 'boolean' }],
  ['meta.created', { path: 'created_at', type: 'date' }],
  ['meta.lastmodified', { path: 'updated_at', type: 'date' }],
  [
    'emails',
    {
      list: 'scim.attributes.emails',
      values: new Map([
        ['value', { path: 'value', type: 'text' }],
        ['type', { path: 'type', type: 'text' }],
        ['primary', { path: 'primary', type: 'boolean' }],
      ]),
    },
  ],
] as const);

/** Lists users by their userName, unless the caller wants another order. @throws {ScimError} */
export async function listUsers(call: ScimCall, query: ScimListQuery, projection: Projection) {
  const { ssoIdentities } = call.options.db;
  const { filter, count, skip } = query;
  const all: Document = usersOf(call.connection);
  const matching = filter ? { $and: [all, toMongodb(filter, FIELDS)] } : all;
  const sort = sortOf(query);
  const totalResults = await ssoIdentities.countDocuments(matching, TIME_LIMIT);
  if (count === 0 || skip >= totalResults) return listResponse(totalResults, query, []);
  const page =
    !filter && query.sortBy === undefined && skip > 0
      ? await pageFrom(call, all, query, sort)
      : await ssoIdentities.find(matching, TIME_LIMIT).sort(sort).skip(skip).limit(count).toArray();
  const users = await presentUsers(call, page as ScimIdentity[], { withGroups: projection.has('groups') });
  return listResponse(totalResults, query, users.map(projection.apply));
}

/** Skips in the index alone: a late page reads no more records than the first. */
async function pageFrom(call: ScimCall, all: Document, { skip, count, order }: ScimListQuery, sort: Sort) {
  const { ssoIdentities } = call.options.db;
  const [first] = await ssoIdentities
    .find(all, { projection: { _id: 0, 'scim.user_name_key': 1 }, ...TIME_LIMIT })
    .sort(sort)
    .skip(skip)
    .limit(1)
    .toArray();
  const key = first?.scim?.user_name_key;
  if (key === undefined) return [];
  return ssoIdentities
    .find({ ...all, 'scim.user_name_key': { [order === 1 ? '$gte' : '$lte']: key, $gt: '' } }, TIME_LIMIT)
    .sort(sort)
    .limit(count)
    .toArray();
}

function sortOf({ sortBy, order }: ScimListQuery): Sort {
  if (sortBy === undefined) return { 'scim.user_name_key': order };
  const field = FIELDS.get(sortBy);
  if (!field || 'list' in field) throw invalidValue(`Lists cannot be sorted by ${sortBy.slice(0, 100)}`);
  return { [field.path]: order, identity_id: 1 };
}
