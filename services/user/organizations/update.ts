import { found } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { membershipOf } from '../access/membership.ts';
import type { Database } from '../database.ts';
import { bodyRefusals, organizationPath, organizationRecord, tagged } from './contract.ts';
import { name } from './names.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Rename an organization',
  description: 'Its id does not change. Its name must not contain a link or an invisible character.',
  params: organizationPath,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Difference Engines' }] }),
  response: { 200: organizationRecord, ...bodyRefusals },
};

/** PATCH /api/v1/organizations/{organization_id}. */
export const updateOrganization: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.patch('/api/v1/organizations/:organization_id', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { name } = request.body;
    const before = found(
      await db.organizations.findOneAndUpdate(
        { organization_id, 'owners.user_id': membershipOf(request).caller },
        { $set: { name } },
        { returnDocument: 'before' },
      ),
    );
    await audit(db, request, now(), {
      action: 'organization.update',
      before: { name: before.name },
      after: { name },
      organization_id,
    });
    return { ...before, name };
  });
};
