import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { reserveDepartment } from '../../access/quotas.ts';
import { departmentRecord } from '../contract.ts';
import { name } from '../names.ts';
import { operation } from '../operation.ts';
import type { Department } from '../records.ts';
import { nameKeys } from './name-keys.ts';

export const createDepartment = operation('POST /api/v1/organizations/{organization_id}/departments', {
  needs: 'ownership',
  summary: 'Create a department',
  description:
    'It starts on the free plan, with its own billing record. Its name must be unique in the organization; names that look alike count as one.',
  body: jsonBody({ name }).meta({ examples: [{ name: 'Support' }] }),
  returns: { 201: departmentRecord },
  fails: ['duplicate'],
  audits: ['department.create'],
  async handle({ db, now, audit, params, body }) {
    const department = newDepartment(
      {
        department_id: randomUUIDv7(),
        organization_id: params.organization_id,
        name: body.name,
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
    const { department_id, name } = department;
    const after = { name };
    await audit('department.create', { after, department_id });
    return department;
  },
});

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
