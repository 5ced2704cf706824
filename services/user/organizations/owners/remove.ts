import { AppError, found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf } from '../../access/membership.ts';
import { revokeGrants } from '../../access/revoke-grants.ts';
import { rolesOf } from '../../access/roles.ts';
import type { Database } from '../../database.ts';
import { organizationPath, refusals, tagged } from '../contract.ts';

const REMOVED = { message: 'Owner removed' } as const;

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Remove an Owner from an organization',
  description: 'Owners can remove each other and themselves; the last one cannot be removed.',
  params: organizationPath.extend({ user_id: organizationPath.shape.organization_id }),
  response: {
    200: messageResponse(REMOVED.message, 'The user is no longer an Owner'),
    ...refusals,
  },
};

/** DELETE /api/v1/organizations/{organization_id}/owners/{user_id}. */
export const removeOwner: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.delete(
    '/api/v1/organizations/:organization_id/owners/:user_id',
    { schema, config },
    async (request) => {
      const { organization_id, user_id } = request.params;
      const { matchedCount } = await db.organizations.updateOne(
        {
          organization_id,
          $and: [{ 'owners.user_id': membershipOf(request).caller }, { 'owners.user_id': user_id }],
          'owners.1': { $exists: true },
        },
        { $pull: { owners: { user_id } } },
      );
      if (matchedCount === 0) {
        const { owners } = found(await db.organizations.findOne({ organization_id }));
        if (!owners.some((owner) => owner.user_id === user_id)) throw new AppError('notFound');
        throw new AppError('forbidden', {
          text: owners.length === 1 ? 'The last Owner cannot be removed' : 'Forbidden',
        });
      }
      await revokeWhereNotMember(db, organization_id, user_id);
      const before = { role: 'Owner' };
      await audit(db, request, now(), {
        action: 'owner.remove',
        target: { user_id },
        before,
        organization_id,
      });
      return REMOVED;
    },
  );
};

/** Revokes the former Owner's grants in departments where they are not a member. */
async function revokeWhereNotMember(db: Database, organization_id: string, user_id: string): Promise<void> {
  const [departments, { departments: remaining }] = await Promise.all([
    db.departments.find({ organization_id }, { projection: { department_id: 1 } }).toArray(),
    rolesOf(db, user_id),
  ]);
  const kept = new Set(remaining.map(({ department_id }) => department_id));
  const $in = departments.map(({ department_id }) => department_id).filter((id) => !kept.has(id));
  await revokeGrants(db, { organization_id, department_id: { $in } }, user_id);
}
