import { found } from '@gatehouse/shared/http/errors';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import { departmentPath, departmentRecord, refusals, tagged } from '../contract.ts';

const config = { permission: 'membership' } as const;

const schema = {
  ...tagged,
  summary: 'Read a department',
  description: 'Returns 404 if the department does not exist or the caller has no role in it.',
  params: departmentPath,
  response: { 200: departmentRecord, ...refusals },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}. */
export const getDepartment: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get(
    '/api/v1/organizations/:organization_id/departments/:department_id',
    { schema, config },
    async (request) => {
      const { organization_id, department_id } = request.params;
      return found(await db.departments.findOne({ organization_id, department_id }));
    },
  );
};
