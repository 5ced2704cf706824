import { AppError } from '@gatehouse/shared/http/errors';
import { line } from '@gatehouse/shared/http/fields';
import { auditAll } from '@gatehouse/shared/identity/audit';
import { appointOwner } from '../../access/memberships/appoint-owner.ts';
import { ownerRecord } from '../../organizations/owners/contract.ts';
import { operation } from '../operation.ts';
import { withReason } from '../reason.ts';

export const addOrganizationOwner = operation('POST /api/v1/admin/organizations/{organization_id}/owners', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Give an organization an Owner when none can act',
  description:
    'For an organization whose Owners are gone, disabled or paused. While one of them can act it is 403: they offer ownership themselves. Operators cannot make themselves an Owner.',
  body: withReason({ user_id: line(200) }, { user_id: 'User-720415' }),
  returns: { 201: ownerRecord },
  fails: ['userNotFound'],
  audits: ['admin.owner_add', 'owner.add'],
  async handle({ db, now, caller, request, params: { organization_id }, body: { user_id, reason } }) {
    if (user_id === caller)
      throw new AppError('forbidden', { text: 'Operators cannot make themselves an Owner' });
    const owner = await appointOwner(db, { organization_id, user_id, by: caller }, now());
    const event = { target: { user_id }, organization_id };
    await auditAll(db, request, now(), [
      { ...event, action: 'admin.owner_add', after: { role: 'Owner', reason } },
      { ...event, action: 'owner.add', after: { role: 'Owner', by: 'operator' } },
    ]);
    return owner;
  },
});
