import { jsonBody } from '@gatehouse/shared/catalogue';
import type { Database } from '@gatehouse/shared/database';
import { found } from '@gatehouse/shared/errors';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { name, organizationPath, organizationRecord, refusedBody, tagged } from './contract.ts';
import { standingOf } from './standing.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Rename an organization',
  description: 'Its id stays.',
  params: organizationPath,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Difference Engines' }] }),
  response: { 200: organizationRecord, ...refusedBody },
};

/** PATCH /api/v1/organizations/{organization_id}. */
export async function updateOrganization(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .patch('/api/v1/organizations/:organization_id', { schema, config }, async (request) => {
      const { organization_id } = request.params;
      return found(
        await db.organizations.findOneAndUpdate(
          { organization_id, 'owners.user_id': standingOf(request).caller },
          { $set: { name: request.body.name } },
          { returnDocument: 'after' },
        ),
      );
    });
}
