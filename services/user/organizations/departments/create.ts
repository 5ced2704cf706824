import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, failures } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { reserveDepartment } from '../../access/quotas.ts';
import type { Database } from '../../database.ts';
import { bodyRefusals, departmentRecord, organizationPath, tagged } from '../contract.ts';
import { name } from '../names.ts';
import type { Department } from '../records.ts';
import { nameKeys } from './name-keys.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Create a department',
  description:
    'It starts on the free plan, with its own billing record. Its name must be unique in the organization; names that look alike count as one.',
  params: organizationPath,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Support' }] }),
  response: { 201: departmentRecord, ...bodyRefusals, ...failures('catalogue', 'duplicate') },
};

/** POST /api/v1/organizations/{organization_id}/departments. */
export const createDepartment: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.post(
    '/api/v1/organizations/:organization_id/departments',
    { schema, config },
    async (request, reply) => {
      const department = newDepartment(
        {
          department_id: randomUUIDv7(),
          organization_id: request.params.organization_id,
          name: request.body.name,
        },
        new Date(now()),
      );
      await reserveDepartment(db, department.organization_id);
      try {
        await db.departments.insertOne({ ...department });
      } catch (error) {
        if (isDuplicateKey(error, 'name_key')) throw new AppError('duplicate');
        throw error;
      }
      const { department_id, organization_id, name } = department;
      const after = { name };
      await audit(db, request, now(), { action: 'department.create', after, organization_id, department_id });
      return reply.code(201).send(department);
    },
  );
};

/** A department on the free plan. */
export function newDepartment(
  place: Pick<Department, 'department_id' | 'organization_id' | 'name'>,
  now: Date,
): Department {
  const at = now.toISOString();
  return {
    ...place,
    name_key: nameKeys(place.name),
    created_at: at,
    billing: {
      subscription_plan: 'Free',
      payment_status: 'pending',
      subscription_date: at.slice(0, 10),
      updated_at: at,
    },
  };
}
