import { saying } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { AppError } from '@gatehouse/shared/errors';
import { grantableBy } from '@gatehouse/shared/rbac';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { memberPath, refused, tagged } from '../contract.ts';
import { roleOf, standingOf } from '../standing.ts';
import { forgetGrants } from './forget-grants.ts';

const REMOVED = { message: 'Member removed' } as const;

const config = { permission: 'remove users', orOneself: true } as const;

const schema = {
  ...tagged,
  summary: 'Remove a member from a department, or leave it',
  description:
    'His roles on its chatbots end with it; those that he owns go to another Owner of theirs, or to one of the organization. Nobody removes a role above his own.',
  params: memberPath,
  response: {
    200: saying(REMOVED.message, 'He is no longer a member'),
    ...refused,
  },
};

/** DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}. */
export async function removeMember(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .delete(
      '/api/v1/organizations/:organization_id/departments/:department_id/members/:user_id',
      { schema, config },
      async (request) => {
        const { organization_id, department_id, user_id } = request.params;
        const leaves = user_id === standingOf(request).caller;
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
}
