import { grantableBy } from '@gatehouse/shared/access/rbac';
import { AppError } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { roleOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { departmentPath, refusals, tagged } from '../contract.ts';
import { invitationTarget, isInvitation } from './status.ts';

const WITHDRAWN = { message: 'Invitation withdrawn' } as const;

const config = { permission: 'remove users' } as const;

const schema = {
  ...tagged,
  summary: 'Withdraw an invitation',
  description:
    'Also removes a declined or expired one from the list. Returns 404 for an accepted invitation; remove the member instead.',
  params: departmentPath.extend({ invitation_id: z.string() }),
  response: {
    200: messageResponse(WITHDRAWN.message, 'The invitation is withdrawn'),
    ...refusals,
  },
};

/** DELETE /api/v1/organizations/{organization_id}/departments/{department_id}/invitations/{invitation_id}. */
export const withdrawInvitation: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.delete(
    '/api/v1/organizations/:organization_id/departments/:department_id/invitations/:invitation_id',
    { schema, config },
    async (request) => {
      const { organization_id, department_id, invitation_id } = request.params;
      const invitation = {
        organization_id,
        department_id,
        membership_id: invitation_id,
        ...isInvitation,
      };
      const withdrawn = await db.memberships.findOneAndDelete({
        ...invitation,
        role: { $in: grantableBy(roleOf(request)) },
      });
      if (!withdrawn) {
        throw new AppError((await db.memberships.findOne(invitation)) ? 'forbidden' : 'notFound');
      }
      await audit(db, request, now(), {
        action: 'invitation.withdraw',
        target: invitationTarget(withdrawn),
        before: { role: withdrawn.role },
        organization_id,
        department_id,
      });
      return WITHDRAWN;
    },
  );
};
