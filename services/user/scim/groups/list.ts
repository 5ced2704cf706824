import { invalidFilter, invalidValue } from '@gatehouse/scim/errors';
import type { Filter } from '@gatehouse/scim/filter';
import { listResponse, type ScimListQuery } from '@gatehouse/scim/list-query';
import type { Projection } from '@gatehouse/scim/projection';
import { type Fields, toMongodb } from '@gatehouse/scim/to-mongodb';
import { TIME_LIMIT } from '@gatehouse/shared/data/time-limit';
import type { Document, Sort } from 'mongodb';
import type { ScimCall } from '../call.ts';
import { usersOf } from '../users/find.ts';
import { presentGroups } from './present.ts';
import { groupsOf } from './records.ts';

const FIELDS: Fields = new Map([
  ['id', { path: 'department_id', type: 'exact' }],
  ['displayname', { path: 'name', type: 'text' }],
  ['externalid', { path: 'external_id', type: 'exact' }],
  ['members', { path: 'department_id', type: 'exact' }],
] as const);

/** Lists the groups by displayName, unless the caller wants another order. @throws {ScimError} */
export async function listGroups(call: ScimCall, query: ScimListQuery, projection: Projection) {
  const { db } = call.options;
  const { connection_id, organization_id } = call.connection;
  const deleted = await db.scimGroups.distinct('department_id', { connection_id, deleted: true });
  const all: Document = { organization_id, department_id: { $nin: deleted } };
  const matching = query.filter ? { $and: [all, await toQuery(call, query.filter)] } : all;
  const totalResults = await db.departments.countDocuments(matching, TIME_LIMIT);
  if (query.count === 0 || query.skip >= totalResults) return listResponse(totalResults, query, []);
  const page = await db.departments
    .find(matching, TIME_LIMIT)
    .sort(sortOf(query))
    .skip(query.skip)
    .limit(query.count)
    .toArray();
  const groups = await presentGroups(call, await groupsOf(call, page), {
    withMembers: projection.has('members'),
  });
  return listResponse(totalResults, query, groups.map(projection.apply));
}

/** Members and external ids are stored elsewhere: their comparisons become ones of departments. */
async function toQuery(call: ScimCall, filter: Filter): Promise<Document> {
  if (filter.kind === 'and' || filter.kind === 'or')
    return { [`$${filter.kind}`]: await Promise.all(filter.filters.map((each) => toQuery(call, each))) };
  if (filter.kind === 'not') return { $nor: [await toQuery(call, filter.filter)] };
  const name = filter.attribute.split('.')[0] ?? '';
  if (name === 'members') {
    const [inner, attribute] =
      filter.kind === 'values'
        ? [filter.filter, 'value']
        : [filter, filter.attribute.split('.')[1] ?? 'value'];
    const isById =
      inner.kind === 'compare' &&
      inner.comparison === 'eq' &&
      (filter.kind === 'values' ? inner.attribute === 'value' : attribute === 'value');
    if (!isById) throw invalidFilter('members are filtered by value eq "id"');
    return { department_id: { $in: await departmentsOf(call, String(inner.value)) } };
  }
  if (name === 'externalid') {
    const { connection_id } = call.connection;
    const known = await call.options.db.scimGroups.distinct(
      'department_id',
      { connection_id, ...toMongodb(filter, FIELDS) },
      TIME_LIMIT,
    );
    return { department_id: { $in: known } };
  }
  return toMongodb(filter, FIELDS);
}

async function departmentsOf({ options, connection }: ScimCall, identity_id: string): Promise<string[]> {
  const { db } = options;
  const identity = await db.ssoIdentities.findOne({ ...usersOf(connection), identity_id });
  if (!identity) return [];
  const { organization_id } = connection;
  return db.memberships.distinct('department_id', { user_id: identity.user_id, organization_id });
}

function sortOf({ sortBy = 'displayname', order }: ScimListQuery): Sort {
  if (sortBy === 'displayname') return { name: order, department_id: 1 };
  if (sortBy === 'id') return { department_id: order };
  throw invalidValue(`Lists cannot be sorted by ${sortBy.slice(0, 100)}`);
}
