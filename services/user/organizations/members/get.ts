import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import { memberPath, memberRecord, refusals, tagged } from '../contract.ts';
import { presentMember } from './present-member.ts';

const config = { permission: 'view users', orOneself: true } as const;

const schema = {
  ...tagged,
  summary: 'Read a member of a department',
  description: 'Returns the role of the member and who granted it.',
  params: memberPath,
  response: { 200: memberRecord, ...refusals },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}/members/{user_id}. */
export const getMember: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get(
    '/api/v1/organizations/:organization_id/departments/:department_id/members/:user_id',
    { schema, config },
    async (request) => presentMember(found(await db.memberships.findOne(request.params))),
  );
};
