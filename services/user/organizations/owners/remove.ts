import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { activeAmong } from '@gatehouse/shared/identity/users';
import { message } from '@gatehouse/shared/operation/responses';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { endOrganizationOwner } from './end-owner.ts';

export const removeOwner = operation('DELETE /api/v1/organizations/{organization_id}/owners/{user_id}', {
  needs: 'ownership',
  whileArchived: 'oneself',
  summary: 'Remove an Owner from an organization',
  description:
    'Owners can remove each other and themselves. The last Owner whose account is active cannot be removed. Where the user is a member of a department, roles above their own that they granted themselves on its chatbots end. Their pending offers end with the role.',
  returns: message('Owner removed', 'The user is no longer an Owner'),
  audits: ['owner.remove'],
  async handle({ db, now, audit, params: { organization_id, user_id }, request }) {
    const { caller } = membershipOf(request);
    const remaining = await remainingOwners(db, organization_id, { caller, user_id });
    const isRemoved = await endOrganizationOwner(db, { organization_id, user_id }, now(), async () => {
      const { matchedCount } = await db.organizations.updateOne(
        {
          organization_id,
          $and: [
            { 'owners.user_id': caller },
            { 'owners.user_id': user_id },
            { 'owners.user_id': { $in: remaining } },
          ],
        },
        // Offers of a former Owner must not bring them or their friends back.
        { $pull: { owners: { user_id }, offers: { granted_by: user_id } } },
      );
      return matchedCount === 1;
    });
    if (!isRemoved) {
      // A concurrent call has removed the caller, the user or the others.
      await remainingOwners(db, organization_id, { caller, user_id });
      throw new AppError('forbidden');
    }
    const before = { role: 'Owner' };
    await audit('owner.remove', { target: { user_id }, before });
  },
});

/**
 * Returns Owners who can act, one of whom must remain: the caller, or the others if the caller leaves.
 * @throws {AppError} notFound if the user is not an Owner; forbidden if they are the last who can act.
 */
async function remainingOwners(
  db: Database,
  organization_id: string,
  { caller, user_id }: { caller: string; user_id: string },
): Promise<string[]> {
  const { owners } = orNotFound(await db.organizations.findOne({ organization_id }));
  if (!owners.some((owner) => owner.user_id === user_id)) throw new AppError('notFound');
  if (caller !== user_id) return [caller];
  const others = owners.map((owner) => owner.user_id).filter((id) => id !== user_id);
  const remaining = await activeAmong(db.users, others);
  if (remaining.size === 0) throw new AppError('forbidden', { text: 'The last Owner cannot be removed' });
  return [...remaining];
}
