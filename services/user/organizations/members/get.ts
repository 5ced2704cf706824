import type { Database } from '@gatehouse/shared/database';
import { found } from '@gatehouse/shared/errors';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { memberPath, memberRecord, refused, tagged } from '../contract.ts';
import { shownMember } from './record.ts';

const config = { permission: 'view users', orOneself: true } as const;

const schema = {
  ...tagged,
  summary: 'Read a member of a department',
  description: 'His role here, and who gave it.',
  params: memberPath,
  response: { 200: memberRecord, ...refused },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}. */
export async function getMember(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get(
      '/api/v1/organizations/:organization_id/departments/:department_id/members/:user_id',
      { schema, config },
      async (request) => shownMember(found(await db.memberships.findOne(request.params))),
    );
}
