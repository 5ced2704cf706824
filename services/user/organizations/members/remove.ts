import { grantableBy } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf, roleOf } from '../../access/membership.ts';
import { forgetGrants } from '../../access/revoke-grants.ts';
import type { Database } from '../../database.ts';
import { memberPath, refused, tagged } from '../contract.ts';

const REMOVED = { message: 'Member removed' } as const;

const config = { permission: 'remove users', orOneself: true } as const;

const schema = {
  ...tagged,
  summary: 'Remove a member from a department, or leave it',
  description:
    'His roles on its chatbots end with it; those that he owns go to another Owner of theirs, or to one of the organization. Nobody removes a role above his own.',
  params: memberPath,
  response: {
    200: messageResponse(REMOVED.message, 'He is no longer a member'),
    ...refused,
  },
};

/** DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}. */
export const removeMember: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.delete(
    '/api/v1/organizations/:organization_id/departments/:department_id/members/:user_id',
    { schema, config },
    async (request) => {
      const { organization_id, department_id, user_id } = request.params;
      const leaves = user_id === membershipOf(request).caller;
      const removable = leaves ? {} : { role: { $in: grantableBy(roleOf(request)) } };
      const { deletedCount } = await db.memberships.deleteOne({ ...request.params, ...removable });
      if (deletedCount === 0) {
        const isMember = await db.memberships.findOne(request.params);
        throw new AppError(isMember ? 'forbidden' : 'notFound');
      }
      await forgetGrants(db, { organization_id, department_id }, user_id);
      request.log.info({ department_id, user_id }, 'member removed');
      return REMOVED;
    },
  );
};
