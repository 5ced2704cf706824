import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, failures, found } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
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
export const updateDepartment: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.patch(
    '/api/v1/organizations/:organization_id/departments/:department_id',
    { schema, config },
    async (request) => {
      const { organization_id, department_id } = request.params;
      const { name } = request.body;
      try {
        return found(
          await db.departments.findOneAndUpdate(
            { organization_id, department_id },
            { $set: { name, name_key: nameKeys(name) } },
            { returnDocument: 'after' },
          ),
        );
      } catch (error) {
        if (isDuplicateKey(error, 'name_key')) throw new AppError('duplicate');
        throw error;
      }
    },
  );
};
