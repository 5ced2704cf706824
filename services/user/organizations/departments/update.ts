import { jsonBody } from '@gatehouse/shared/catalogue';
import { type Database, isDuplicateKey } from '@gatehouse/shared/database';
import { AppError, failures, found } from '@gatehouse/shared/errors';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { departmentPath, departmentRecord, name, refusedBody, tagged } from '../contract.ts';
import { nameKey } from './name-key.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Rename a department',
  description: 'Its id stays.',
  params: departmentPath,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Customer support' }] }),
  response: { 200: departmentRecord, ...refusedBody, ...failures('catalogue', 'duplicate') },
};

/** PATCH /api/v1/organizations/{organization_id}/departments/{department_id}. */
export async function updateDepartment(root: FastifyInstance, { db }: { db: Database }): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .patch(
      '/api/v1/organizations/:organization_id/departments/:department_id',
      { schema, config },
      async (request) => {
        const { organization_id, department_id } = request.params;
        const { name } = request.body;
        try {
          return found(
            await db.departments.findOneAndUpdate(
              { organization_id, department_id },
              { $set: { name, name_key: nameKey(name) } },
              { returnDocument: 'after' },
            ),
          );
        } catch (error) {
          if (isDuplicateKey(error, 'name_key')) throw new AppError('duplicate');
          throw error;
        }
      },
    );
}
