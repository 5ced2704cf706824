import { randomUUIDv7 } from 'node:crypto';
import { grantableBy, ROLES } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf, roleOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { memberPath, memberRecord, OWNER_ALREADY, refusedBody, tagged } from '../contract.ts';
import { addMember } from './add.ts';
import { presentMember } from './present-member.ts';

const config = { permission: 'assign roles' } as const;

const schema = {
  ...tagged,
  summary: 'Add a member to a department, or change his role',
  description:
    'Nobody gives a role above his own, or changes one. An Owner of the organization is Owner here, whatever else.',
  params: memberPath,
  body: jsonBody({ role: oneOf(ROLES) }).meta({ examples: [{ role: 'Editor' }] }),
  response: { 200: memberRecord, ...refusedBody },
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
        throw new AppError('forbidden', { text: OWNER_ALREADY });
      }
      const { caller } = membershipOf(request);
      const at = new Date(now());
      const granted = { role, granted_by: caller, granted_at: at.toISOString() };
      // Oneself by the role that one has, and not anew: who is being removed shall not put himself back.
      const isOneself = user_id === caller;
      const change = () =>
        db.memberships.findOneAndUpdate(
          { ...request.params, role: isOneself ? own : { $in: grantable } },
          { $set: granted },
          { returnDocument: 'after' },
        );
      const add = async () => {
        if (isOneself) return null;
        const membership = { membership_id: randomUUIDv7(), ...request.params, joined_at: at, ...granted };
        return addMember(db, membership);
      };
      // Where somebody else has just added him, his role is changed after all.
      const member = (await change()) ?? (await add()) ?? (await change());
      if (!member) throw new AppError('forbidden'); // he has a role that this caller may not touch
      request.log.info({ department_id, user_id, role }, 'role in a department granted');
      return presentMember(member);
    },
  );
};
