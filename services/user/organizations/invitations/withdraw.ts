import { saying } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { AppError } from '@gatehouse/shared/errors';
import { grantableBy } from '@gatehouse/shared/rbac';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { departmentPath, refused, tagged } from '../contract.ts';
import { roleOf } from '../standing.ts';

const WITHDRAWN = { message: 'Invitation withdrawn' } as const;

const config = { permission: 'remove users' } as const;

const schema = {
  ...tagged,
  summary: 'Withdraw an invitation',
  description: 'One that was accepted meanwhile is not found: its member is to be removed.',
  params: departmentPath.extend({ invitation_id: z.string() }),
  response: {
    200: saying(WITHDRAWN.message, 'It stands no longer'),
    ...refused,
  },
};

/** DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}. */
export async function withdrawInvitation(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .delete(
      '/api/v1/organizations/:organization_id/departments/:department_id/invitations/:invitation_id',
      { schema, config },
      async (request) => {
        const { organization_id, department_id, invitation_id } = request.params;
        const invitation = {
          organization_id,
          department_id,
          membership_id: invitation_id,
          user_id: { $exists: false },
        };
        const { deletedCount } = await db.memberships.deleteOne({
          ...invitation,
          role: { $in: grantableBy(roleOf(request)) },
        });
        if (deletedCount === 0) {
          throw new AppError((await db.memberships.findOne(invitation)) ? 'forbidden' : 'notFound');
        }
        return WITHDRAWN;
      },
    );
}
