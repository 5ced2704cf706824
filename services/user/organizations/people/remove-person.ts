import { can, grantableBy } from '@gatehouse/shared/access/rbac';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { message } from '@gatehouse/shared/operation/responses';
import { depart, endedEvent } from '../../access/departures/depart.ts';
import { type CallerMembership, membershipOf } from '../../access/membership.ts';
import { requireAnotherDepartmentOwner } from '../../access/memberships/last-owner.ts';
import { archivedIn, roleIn } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';

export const removePerson = operation('DELETE /api/v1/organizations/{organization_id}/members/{user_id}', {
  needs: 'remove users',
  orOneself: true,
  whileArchived: 'oneself',
  summary: 'Remove a person from an organization, or leave it',
  description:
    'Ends every role of the person in the organization: as its Owner, in each department and on the chatbots, which pass on as when a member leaves a department. Owners of the organization remove anyone; others remove people from the departments where they may remove users, and roles elsewhere stay. It is 403 if there is no such department or the person’s role there is above the caller’s, and for the last Owner who can act, who must transfer the ownership or archive the organization first. An archived organization can be left. Removal by another person also withdraws earlier invitations and offers to the user_id. An interrupted call is completed within minutes.',
  returns: message('Member removed', 'The person has no role here any more'),
  audits: ['member.remove', 'owner.remove', 'invitation.withdraw'],
  async handle({ db, now, params: { organization_id, user_id }, request }) {
    const { caller, roles } = membershipOf(request);
    const department_ids = await removableFrom(db, { caller, roles }, { organization_id, user_id });
    const by = { user_id: caller, email: principalOf(request).user.email };
    const scope = department_ids ? { within: { by, department_ids } } : { by };
    const departure = { organization_id, user_id, ...scope, began_at: new Date(now()) };
    await depart(db, departure, (ended) => audit(db, request, now(), endedEvent(departure, ended)));
  },
});

/**
 * Returns the departments that a caller removes a person from: those where the caller may remove users; undefined for the
 * whole organization, which Owners decide about, and everybody about themselves.
 * @throws {AppError} notFound if the person has no role that the caller may see; forbidden if they have none where the
 * caller may remove users, one above the caller's, or the last of an Owner.
 */
async function removableFrom(
  db: Database,
  { caller, roles }: Pick<CallerMembership, 'caller' | 'roles'>,
  { organization_id, user_id }: { organization_id: string; user_id: string },
): Promise<string[] | undefined> {
  const { owners } = orNotFound(await db.organizations.findOne({ organization_id }));
  const memberships = await db.memberships.find({ organization_id, user_id }).toArray();
  const isOwner = owners.some((owner) => owner.user_id === user_id);
  const visible = memberships.filter(({ department_id }) => roleIn(roles, department_id));
  if (!isOwner && visible.length === 0) throw new AppError('notFound');
  if (caller === user_id) {
    // Before anything ends; an Owner of the organization leaves the departments to the others.
    const last = isOwner ? [] : memberships.filter(({ role }) => role === 'Owner');
    for (const { department_id } of last)
      await requireAnotherDepartmentOwner(db, { organization_id, department_id, user_id });
    return undefined;
  }
  if (roles.owned.has(organization_id)) return undefined;
  const administered = memberships.filter(({ department_id }) => {
    const own = roleIn(roles, department_id);
    return own && can(own, 'remove users') && archivedIn(roles, department_id) === undefined;
  });
  const isBelow = administered.every(({ department_id, role }) => {
    const own = roleIn(roles, department_id);
    return own && grantableBy(own).includes(role);
  });
  if (isOwner || administered.length === 0 || !isBelow) throw new AppError('forbidden');
  return administered.map(({ department_id }) => department_id);
}
