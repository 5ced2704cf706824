import { found } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf } from '../../access/membership.ts';
import type { Database } from '../../database.ts';
import { organizationPath, organizationRecord, refusals, tagged } from '../contract.ts';
import { ARCHIVED_DAYS } from '../records.ts';
import { archive, NOT_ARCHIVED } from './marks.ts';

const config = { permission: 'ownership', whileArchived: true } as const;

const schema = {
  ...tagged,
  summary: 'Archive an organization',
  description: `Closes the organization: from now on it is read-only with everything in it, its billing has ended and its webhooks are quiet. People log in as before. After ${ARCHIVED_DAYS} days it is deleted for good, with its departments, chatbots, members, invitations, webhooks, connections and domains; until then an Owner can restore it. Has no effect on an organization that is archived already.`,
  params: organizationPath,
  response: { 200: organizationRecord, ...refusals },
};

/** POST /api/v1/organizations/{organization_id}/archive (CONTRACT.md §Archive). */
export const archiveOrganization: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.post('/api/v1/organizations/:organization_id/archive', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { caller } = membershipOf(request);
    const own = { organization_id, 'owners.user_id': caller };
    const marks = archive(caller, now());
    const archived = await db.organizations.findOneAndUpdate(
      { ...own, ...NOT_ARCHIVED },
      { $set: marks },
      { returnDocument: 'after' },
    );
    if (!archived) return found(await db.organizations.findOne(own));
    await audit(db, request, now(), {
      action: 'organization.archive',
      after: { deletes_at: marks.deletes_at },
      organization_id,
    });
    return archived;
  });
};
