import { found } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { organizationPath, organizationRecord, refusals, tagged } from '../contract.ts';
import { ARCHIVED, NO_MARKS, renewBilling } from './marks.ts';

const config = { permission: 'ownership', whileArchived: true } as const;

const schema = {
  ...tagged,
  summary: 'Restore an archived organization',
  description:
    'Undoes the archiving. The plan of each department is `pending` again until the payment service reports its payment. Departments that were archived on their own stay archived. Once the deletion has begun, the organization is 404. Has no effect on an organization that is not archived.',
  params: organizationPath,
  response: { 200: organizationRecord, ...refusals },
};

/** POST /api/v1/organizations/{organization_id}/restore (CONTRACT.md §Archive). */
export const restoreOrganization: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.post('/api/v1/organizations/:organization_id/restore', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { caller, roles } = membershipOf(request);
    const own = { organization_id, 'owners.user_id': caller, deleting: { $exists: false } };
    // Before the organization opens, so that no plan counts as paid in between.
    if (roles.archived.has(organization_id))
      await db.departments.updateMany({ organization_id }, [renewBilling(caller, now())]);
    const before = await db.organizations.findOneAndUpdate(
      { ...own, ...ARCHIVED },
      { $unset: NO_MARKS },
      { returnDocument: 'before' },
    );
    if (!before) return found(await db.organizations.findOne(own));
    const { archived_at: _, deletes_at = '', ...restored } = before;
    await audit(db, request, now(), {
      action: 'organization.restore',
      before: { deletes_at },
      organization_id,
    });
    return restored;
  });
};
