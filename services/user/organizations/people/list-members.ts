import { ROLES } from '@gatehouse/shared/access/rbac';
import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { isMember } from '../../access/memberships/states.ts';
import { MEMBER_ORDERS, MEMBERS } from '../../access/records.ts';
import { operation } from '../operation.ts';
import { listedMember } from './contract.ts';
import { presentMembers } from './present-member.ts';

/** A longer list is not counted to its end. */
const MAX_COUNT = 10_000;

const table = {
  sortable: ['granted_at', 'user_id', 'role', 'email'],
  filters: { role: ROLES },
  search: containsText('email'),
  unique: 'user_id',
  maxCount: MAX_COUNT,
} as const;

export const listMembers = operation(
  'GET /api/v1/organizations/{organization_id}/departments/{department_id}/members',
  {
    needs: 'view users',
    summary: 'List the members of a department',
    description:
      'Lists the users with a role in the department, with their names. The Owners of the organization are listed only where they are also members. `search` and `sort_by=email` use the invited addresses. A `total_items` above 10,000 is not exact; `has_next` always is.',
    query: listQuery(table),
    returns: pageResponse(listedMember),
    async handle({ db, params, query }) {
      const { data, pagination } = await readPage(
        db.memberships,
        table,
        [{ within: { department_id: params.department_id, ...isMember } }],
        query,
        { hint: indexFor(query), countHint: countIndexFor(query) },
      );
      return { data: await presentMembers(db, params.organization_id, data), pagination };
    },
  },
);

/** The index that holds the members in the order of the page; undefined lets the database choose. */
function indexFor({ sort_by, role }: { sort_by: string; role?: string | undefined }) {
  if (role === undefined) return sort_by === 'user_id' ? undefined : MEMBER_ORDERS[sort_by as Order];
  if (sort_by === 'granted_at') return MEMBER_ORDERS.granted_at_of_role;
  return sort_by === 'email' ? undefined : MEMBER_ORDERS.role;
}

/** The index that holds exactly the members whom the page counts. */
const countIndexFor = ({ role }: { role?: string | undefined }) =>
  role === undefined ? MEMBERS : MEMBER_ORDERS.role;

type Order = Exclude<(typeof table)['sortable'][number], 'user_id'>;
