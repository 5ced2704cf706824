import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { departmentRecord } from '../contract.ts';
import { name } from '../names.ts';
import { operation } from '../operation.ts';
import { nameKeys } from './name-keys.ts';

export const updateDepartment = operation(
  'PATCH /api/v1/organizations/{organization_id}/departments/{department_id}',
  {
    needs: 'ownership',
    summary: 'Rename a department',
    description:
      'Its id does not change. Its name must be unique in the organization; names that look alike count as one.',
    body: jsonBody({ name }).meta({ examples: [{ name: 'Customer support' }] }),
    returns: departmentRecord,
    fails: ['duplicate'],
    audits: ['department.update'],
    async handle({ db, audit, params: { organization_id, department_id }, body: { name } }) {
      const department = { organization_id, department_id };
      const rename = { $set: { name, name_key: nameKeys(name) } };
      const before = await db.departments
        .findOneAndUpdate(department, rename, { returnDocument: 'before' })
        .catch((error) => {
          throw isDuplicateKey(error, 'name_key') ? new AppError('duplicate') : error;
        });
      await audit('department.update', {
        before: { name: orNotFound(before).name },
        after: { name },
        ...department,
      });
      return { ...orNotFound(before), name };
    },
  },
);
