import type { Database } from '@gatehouse/shared/database';
import { found } from '@gatehouse/shared/errors';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { departmentPath, departmentRecord, refused, tagged } from '../contract.ts';

const config = { permission: 'membership' } as const;

const schema = {
  ...tagged,
  summary: 'Read a department',
  description: 'One in which the caller has no role is answered like one that does not exist.',
  params: departmentPath,
  response: { 200: departmentRecord, ...refused },
};

/** GET /api/v1/organizations/{organization_id}/departments/{department_id}. */
export async function getDepartment(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .get(
      '/api/v1/organizations/:organization_id/departments/:department_id',
      { schema, config },
      async (request) => {
        const { organization_id, department_id } = request.params;
        return found(await db.departments.findOne({ organization_id, department_id }));
      },
    );
}
