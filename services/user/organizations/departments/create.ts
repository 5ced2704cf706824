import { randomUUIDv7 } from 'node:crypto';
import { jsonBody } from '@gatehouse/shared/catalogue';
import { type Database, isDuplicateKey } from '@gatehouse/shared/database';
import { AppError, failures } from '@gatehouse/shared/errors';
import type { Department } from '@gatehouse/shared/organizations';
import type { FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { departmentRecord, name, organizationPath, refusedBody, tagged } from '../contract.ts';
import { nameKey } from './name-key.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Create a department',
  description: 'With a bill of its own, on the free plan. Names differ by more than case.',
  params: organizationPath,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Support' }] }),
  response: { 201: departmentRecord, ...refusedBody, ...failures('catalogue', 'duplicate') },
};

/** POST /api/v1/organizations/{organization_id}/departments. */
export async function createDepartment(
  root: FastifyInstance,
  { db, now }: { db: Database; now: () => number },
): Promise<void> {
  root
    .withTypeProvider<ZodTypeProvider>()
    .post(
      '/api/v1/organizations/:organization_id/departments',
      { schema, config },
      async (request, reply) => {
        const at = new Date(now()).toISOString();
        const department: Department = {
          department_id: randomUUIDv7(),
          organization_id: request.params.organization_id,
          name: request.body.name,
          name_key: nameKey(request.body.name),
          created_at: at,
          billing: {
            subscription_plan: 'Free',
            payment_status: 'pending',
            subscription_date: at.slice(0, 10),
            updated_at: at,
          },
        };
        try {
          await db.departments.insertOne({ ...department });
        } catch (error) {
          if (isDuplicateKey(error, 'name_key')) throw new AppError('duplicate');
          throw error;
        }
        return reply.code(201).send(department);
      },
    );
}
