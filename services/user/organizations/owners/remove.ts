import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { membershipOf } from '../../access/membership.ts';
import {
  endOrganizationOwner,
  pullOwner,
  whoRemains,
} from '../../access/memberships/end-organization-owner.ts';
import { operation } from '../operation.ts';

export const removeOwner = operation('DELETE /api/v1/organizations/{organization_id}/owners/{user_id}', {
  needs: 'ownership',
  supportSession: 'refused',
  whileArchived: 'oneself',
  summary: 'Remove an Owner from an organization',
  description:
    'Owners can remove each other and themselves. The last Owner whose account is active cannot be removed. Where the user is a member of a department, roles above their own that they granted themselves on its chatbots end. Their pending offers end with the role.',
  returns: message('Owner removed', 'The user is no longer an Owner'),
  audits: ['owner.remove'],
  async handle({ db, now, audit, params: { organization_id, user_id }, request }) {
    const { caller } = membershipOf(request);
    const held = { organization_id, 'owners.user_id': user_id };
    const remaining = async () =>
      whoRemains(db, orNotFound(await db.organizations.findOne(held)), { user_id, by: caller });
    const remains = await remaining();
    const isRemoved = await endOrganizationOwner(db, { organization_id, user_id }, now(), () =>
      pullOwner(db, held, user_id, remains),
    );
    if (!isRemoved) {
      await remaining(); // a concurrent call has removed the caller, the user or the others
      throw new AppError('forbidden');
    }
    const before = { role: 'Owner' };
    await audit('owner.remove', { target: { user_id }, before });
  },
});
