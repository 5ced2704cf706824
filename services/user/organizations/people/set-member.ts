import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import { membershipOf, roleOf } from '../../access/membership.ts';
import { addFromWithin } from '../../access/memberships/add-from-within.ts';
import { changeRole } from '../../access/memberships/change-role.ts';
import type { Database } from '../../database.ts';
import { ALREADY_OWNER, invitationRecord } from '../invitations/contract.ts';
import { operation } from '../operation.ts';
import { memberRecord } from './contract.ts';
import { inviteUser } from './invite-user.ts';
import { presentMember } from './present-member.ts';

export const setMember = operation(
  'PUT /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}',
  {
    needs: 'assign roles',
    summary: 'Give a role in a department, or invite by user_id',
    description:
      'A user with a role in the organization gets this role at once: 200 and the member. Others are invited and decide: 202 and the invitation, whether an account has this user_id or not. Callers cannot grant or change a role above their own, nor lower the last Owner who can act. An Owner of the organization is Owner in every department and cannot be added. Roles above the new one that the member granted themselves on the department’s chatbots end. The limits of invitations apply.',
    body: jsonBody({ role: oneOf(ROLES) }).meta({ examples: [{ role: 'Editor' }] }),
    returns: { 200: memberRecord, 202: invitationRecord },
    audits: ['member.grant', 'invitation.create'],
    async handle(call) {
      const { db, now, audit, params, body, request, reply } = call;
      const { role } = body;
      const { organization_id, user_id } = params;
      const own = roleOf(request);
      const grantable = grantableBy(own);
      if (!grantable.includes(role)) throw new AppError('forbidden');
      if (await db.organizations.findOne({ organization_id, 'owners.user_id': user_id })) {
        throw new AppError('forbidden', { text: ALREADY_OWNER });
      }
      const { caller } = membershipOf(request);
      const terms = { ...params, role, grantable, granted_by: caller, now: now() };
      // Callers who are being removed must not add themselves back: they only change the role that they still have.
      const isOneself = user_id === caller;
      const change = () => changeRole(db, { ...terms, changeable: isOneself ? [own] : grantable });
      const add = async () => {
        const member = isOneself ? null : await addFromWithin(db, terms);
        return member && { before: null, member };
      };
      await requireActiveMember(db, organization_id, user_id);
      // A concurrent call may have added the user; then change the role after all.
      const changed = (await change()) ?? (await add()) ?? (await change());
      if (changed) {
        await audit('member.grant', { target: { user_id }, before: changed.before, after: { role } });
        return presentMember(changed.member);
      }
      const isMember = await db.memberships.findOne(params);
      if (isMember || isOneself) throw new AppError('forbidden'); // their role is above the caller's
      return reply.code(202).send(await inviteUser(call, request, terms));
    },
  },
);

/** @throws {AppError} userNotFound for a member of the organization whose account is not active. */
async function requireActiveMember(db: Database, organization_id: string, user_id: string): Promise<void> {
  const isMember = await db.memberships.findOne({ organization_id, user_id });
  if (isMember && !(await findActiveUser(db.users, user_id))) throw new AppError('userNotFound');
}
