import { ROLES, type Role } from '@gatehouse/shared/access/rbac';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { containsText, listQuery, pageResponse, paginationOf } from '@gatehouse/shared/operation/lists';
import { peopleOf } from '../../access/people.ts';
import { addFormerMembers, removeIfWithoutRole } from '../../access/roster.ts';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { personRecord } from './contract.ts';

/** A longer list is not counted to its end. */
const MAX_COUNT = 10_000;

/** Departments of one person in the list. */
const MAX_DEPARTMENTS = 20;

const table = { sortable: ['user_id'], filters: {} } as const;
const search = containsText('user_id');

export const listPeople = operation('GET /api/v1/organizations/{organization_id}/members', {
  needs: 'ownership',
  summary: 'List the members of an organization',
  description: `Lists everybody with a role in the organization once, its Owners first, each with up to ${MAX_DEPARTMENTS} departments of which they are a member. \`search\` matches the user_id. A \`total_items\` above 10,000 is not exact; \`has_next\` always is.`,
  query: listQuery(table),
  returns: pageResponse(personRecord),
  async handle({ db, now, params: { organization_id }, query }) {
    const organization = orNotFound(await db.organizations.findOne({ organization_id }));
    if (!organization.people_enrolled) await addFormerMembers(db, organization_id, now());
    const owners = organization.owners.map(({ user_id }) => user_id);
    const { user_ids, total } = await pageOf(db, organization_id, owners, query);
    const [memberships, personOf] = await Promise.all([
      membershipsOf(db, organization_id, user_ids),
      peopleOf(db, organization_id, user_ids),
    ]);
    const people = user_ids.map((user_id) => {
      const { departments = [], departments_total = 0, email } = memberships.get(user_id) ?? {};
      const person = personOf(user_id);
      const role = owners.includes(user_id) ? ('Owner' as const) : null;
      return { user_id, ...person, email: email ?? person.email, role, departments, departments_total };
    });
    const gone = people.filter(({ role, departments_total }) => role === null && departments_total === 0);
    for (const { user_id } of gone) await removeIfWithoutRole(db, organization_id, user_id, now());
    return {
      data: people.filter((person) => !gone.includes(person)),
      pagination: paginationOf(total - gone.length, query),
    };
  },
});

/** The people on a page, the Owners first, and the number of all. */
async function pageOf(
  db: Database,
  organization_id: string,
  owners: readonly string[],
  query: { page: number; limit: number; order: 'asc' | 'desc'; search?: string | undefined },
): Promise<{ user_ids: string[]; total: number }> {
  const { page, limit, order } = query;
  const pattern = query.search?.toLowerCase() ?? '';
  const direction = order === 'asc' ? 1 : -1;
  const first = owners.filter((user_id) => user_id.toLowerCase().includes(pattern)).toSorted();
  const shown = order === 'asc' ? first : first.toReversed();
  const skip = (page - 1) * limit;
  const here = shown.slice(skip, skip + limit);
  const others = { organization_id, ...(query.search && search(query.search)) };
  const [rest, all, counted] = await Promise.all([
    here.length === limit
      ? []
      : db.organizationPeople
          .find({ ...others, $and: [{ user_id: { $nin: [...owners] } }] })
          .sort({ user_id: direction })
          .skip(Math.max(0, skip - shown.length))
          .limit(limit - here.length)
          .toArray(),
    db.organizationPeople.countDocuments(others, {
      limit: Math.max(MAX_COUNT, skip + limit + 1) + owners.length,
    }),
    // Owners may be members, too.
    db.organizationPeople.countDocuments({ ...others, $and: [{ user_id: { $in: [...owners] } }] }),
  ]);
  const total = shown.length + Math.max(0, all - counted);
  return { user_ids: [...here, ...rest.map(({ user_id }) => user_id)], total };
}

interface Memberships {
  departments: { department_id: string; name: string; role: Role }[];
  departments_total: number;
  /** The invited address. */
  email: string | null;
}

/** The first departments of each person, and the address to which they were invited. */
async function membershipsOf(
  db: Database,
  organization_id: string,
  user_ids: readonly string[],
): Promise<ReadonlyMap<string, Memberships>> {
  const rows = await db.memberships
    .aggregate<{ _id: string; roles: { department_id: string; role: Role }[]; email: string | null }>([
      { $match: { organization_id, user_id: { $in: [...user_ids] } } },
      {
        $group: {
          _id: '$user_id',
          roles: { $push: { department_id: '$department_id', role: '$role' } },
          email: { $max: '$email' },
        },
      },
    ])
    .toArray();
  const ids = rows.flatMap(({ roles }) => roles.slice(0, MAX_DEPARTMENTS).map((each) => each.department_id));
  const departments = await db.departments
    .find(
      { department_id: { $in: [...new Set(ids)] } },
      { projection: { _id: 0, department_id: 1, name: 1 } },
    )
    .toArray();
  const names = new Map(departments.map(({ department_id, name }) => [department_id, name]));
  return new Map(
    rows.map(({ _id, roles, email }) => [
      _id,
      {
        departments: roles.slice(0, MAX_DEPARTMENTS).map((each) => ({
          department_id: each.department_id,
          name: names.get(each.department_id) ?? '',
          role: ROLES.find((role) => role === each.role) ?? each.role,
        })),
        departments_total: roles.length,
        email,
      },
    ]),
  );
}
