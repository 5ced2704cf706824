import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, failures, found } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Database } from '../../database.ts';
import { bodyRefusals, departmentPath, departmentRecord, tagged } from '../contract.ts';
import { name } from '../names.ts';
import { nameKeys } from './name-keys.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'Rename a department',
  description:
    'Its id does not change. Its name must be unique in the organization; names that look alike count as one.',
  params: departmentPath,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Customer support' }] }),
  response: { 200: departmentRecord, ...bodyRefusals, ...failures('catalogue', 'duplicate') },
};

/** PATCH /api/v1/organizations/{organization_id}/departments/{department_id}. */
export const updateDepartment: FastifyPluginAsyncZod<{ db: Database; now: () => number }> = async (
  app,
  { db, now },
) => {
  app.patch(
    '/api/v1/organizations/:organization_id/departments/:department_id',
    { schema, config },
    async (request) => {
      const { organization_id, department_id } = request.params;
      const { name } = request.body;
      const department = { organization_id, department_id };
      const rename = { $set: { name, name_key: nameKeys(name) } };
      const before = await db.departments
        .findOneAndUpdate(department, rename, { returnDocument: 'before' })
        .catch((error) => {
          throw isDuplicateKey(error, 'name_key') ? new AppError('duplicate') : error;
        });
      await audit(db, request, now(), {
        action: 'department.update',
        before: { name: found(before).name },
        after: { name },
        ...department,
      });
      return { ...found(before), name };
    },
  );
};
