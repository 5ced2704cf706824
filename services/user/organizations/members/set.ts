import { randomUUIDv7 } from 'node:crypto';
import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Filter } from 'mongodb';
import { endSelfGrants, newRevocation } from '../../access/end-self-grants.ts';
import { endOwnership } from '../../access/last-owner.ts';
import { membershipOf, roleOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { ALREADY_OWNER, bodyRefusals, memberPath, memberRecord, tagged } from '../contract.ts';
import type { Membership } from '../records.ts';
import { addMember } from './add.ts';
import { presentMember } from './present-member.ts';

const config = { permission: 'assign roles' } as const;

const schema = {
  ...tagged,
  summary: 'Add a member to a department, or change their role',
  description:
    'Callers cannot grant or change a role above their own, nor lower the last Owner who can act. An Owner of the organization is Owner in every department and cannot be added. Roles above the new one that the member granted themselves on the department’s chatbots end.',
  params: memberPath,
  body: jsonBody({ role: oneOf(ROLES) }).meta({ examples: [{ role: 'Editor' }] }),
  response: { 200: memberRecord, ...bodyRefusals },
};

/** PUT /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}. */
export const setMember: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.put(
    '/api/v1/organizations/:organization_id/departments/:department_id/members/:user_id',
    { schema, config },
    async (request) => {
      const { organization_id, department_id, user_id } = request.params;
      const { role } = request.body;
      const own = roleOf(request);
      const grantable = grantableBy(own);
      if (!grantable.includes(role)) throw new AppError('forbidden');
      if (!(await findActiveUser(db.users, user_id))) throw new AppError('userNotFound');
      if (await db.organizations.findOne({ organization_id, 'owners.user_id': user_id })) {
        throw new AppError('forbidden', { text: ALREADY_OWNER });
      }
      const { caller } = membershipOf(request);
      const at = new Date(now());
      const granted = { role, granted_by: caller, granted_at: at.toISOString() };
      // Callers who are being removed must not add themselves back: they only change the role that they still have.
      const isOneself = user_id === caller;
      const changeable = isOneself ? [own] : grantable;
      const change = async (filter: Filter<Membership>) => {
        const $set = { ...granted, ...newRevocation() };
        const before = await db.memberships.findOneAndUpdate(
          { ...request.params, ...filter },
          { $set, $unset: { leaving: true } },
          { returnDocument: 'before' },
        );
        return before && { before: { role: before.role }, member: { ...before, ...$set } };
      };
      const endsOwner = role !== 'Owner' && changeable.includes('Owner');
      const changeKeeping = () =>
        change({ role: { $in: endsOwner ? changeable.filter((each) => each !== 'Owner') : changeable } });
      const lowerOwner = async () => (endsOwner ? endOwnership(db, request.params, change) : null);
      const add = async () => {
        if (isOneself) return null;
        const membership = { membership_id: randomUUIDv7(), ...request.params, joined_at: at, ...granted };
        const member = await addMember(db, membership);
        return member && { before: null, member };
      };
      // A concurrent call may have added the user or lowered an Owner; then change the role after all.
      const changed =
        (await changeKeeping()) ?? (await lowerOwner()) ?? (await add()) ?? (await changeKeeping());
      if (!changed) throw new AppError('forbidden'); // their role is above the caller's
      const { membership_id, revocation } = changed.member;
      if (revocation !== undefined) await endSelfGrants(db, { membership_id });
      await audit(db, request, now(), {
        action: 'member.grant',
        target: { user_id },
        before: changed.before,
        after: { role },
        organization_id,
        department_id,
      });
      return presentMember(changed.member);
    },
  );
};
