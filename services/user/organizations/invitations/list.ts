import { ROLES } from '@gatehouse/shared/access/rbac';
import { oneOf } from '@gatehouse/shared/http/fields';
import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { WITH_STATUS } from '../../access/memberships/states.ts';
import { operation } from '../operation.ts';
import { invitationRecord } from './contract.ts';
import { presentInvitation } from './present-invitation.ts';

const table = {
  sortable: ['granted_at', 'email', 'role'],
  filters: { role: ROLES, granted_by: null },
  search: (text: string) => ({ $or: [containsText('email')(text), containsText('invited_id')(text)] }),
  unique: 'membership_id',
} as const;

export const listInvitations = operation(
  'GET /api/v1/organizations/{organization_id}/departments/{department_id}/invitations',
  {
    needs: 'view users',
    summary: 'List the invitations of a department',
    description:
      'Lists the pending invitations, or those with another `status`: declined ones until they would have expired, expired ones for 30 days. `granted_by` lists what one person invited. `search` matches the invited addresses and user_ids.',
    query: listQuery(table).extend({
      status: oneOf(['pending', 'declined', 'expired']).default('pending'),
    }),
    returns: pageResponse(invitationRecord),
    async handle({ db, now, params, query }) {
      const { status } = query;
      const { data, pagination } = await readPage(
        db.memberships,
        table,
        [{ within: { ...params, ...WITH_STATUS[status](now()) } }],
        query,
      );
      return { data: data.map((invitation) => presentInvitation(invitation, now())), pagination };
    },
  },
);
