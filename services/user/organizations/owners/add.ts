import { AppError, found } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { findActiveUser } from '@gatehouse/shared/identity/users';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { organizationPath, ownerRecord, refusals, tagged } from '../contract.ts';
import { MAX_OWNERS } from '../records.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Add an Owner to an organization',
  description: `Returns the Owner, unchanged if the user is one already. An organization has at most ${MAX_OWNERS}.`,
  params: organizationPath.extend({ user_id: organizationPath.shape.organization_id }),
  response: { 200: ownerRecord, ...refusals },
};

/** PUT /api/v1/organizations/{organization_id}/owners/{user_id}. */
export const addOwner: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.put('/api/v1/organizations/:organization_id/owners/:user_id', { schema, config }, async (request) => {
    const { organization_id, user_id } = request.params;
    const { caller } = membershipOf(request);
    if (!(await findActiveUser(db.users, user_id))) throw new AppError('userNotFound');
    const owner = { user_id, granted_by: caller, granted_at: new Date(now()).toISOString() };
    const { modifiedCount } = await db.organizations.updateOne(
      {
        organization_id,
        $and: [{ 'owners.user_id': caller }, { 'owners.user_id': { $ne: user_id } }],
        [`owners.${MAX_OWNERS - 1}`]: { $exists: false },
      },
      { $push: { owners: owner } },
    );
    const { owners } = found(await db.organizations.findOne({ organization_id }));
    const added = owners.find((each) => each.user_id === user_id);
    if (!added && owners.length >= MAX_OWNERS) {
      throw new AppError('forbidden', { text: `An organization has at most ${MAX_OWNERS} Owners` });
    }
    if (modifiedCount === 1) {
      const after = { role: 'Owner' };
      await audit(db, request, now(), { action: 'owner.add', target: { user_id }, after, organization_id });
    }
    return found(added);
  });
};
