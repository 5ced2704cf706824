import { randomUUIDv7 } from 'node:crypto';
import { ScimError } from '@gatehouse/scim/errors';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { reserveDepartment } from '../../access/quotas.ts';
import { newDepartment } from '../../organizations/departments/create.ts';
import { nameKeys } from '../../organizations/departments/name-keys.ts';
import type { Department } from '../../organizations/records.ts';
import type { ScimCall } from '../call.ts';
import { auditGroup } from './audited.ts';
import { type GroupInput, readGroup } from './input.ts';
import { addMembers, requireMembers } from './members.ts';
import { requireOpen, type ScimDepartment } from './records.ts';

/** Creates a department, or takes up again the one that the connection has deleted as a group. @throws {ScimError} */
export async function createGroup(call: ScimCall, body: unknown): Promise<ScimDepartment> {
  const input = readGroup(body);
  const people = await requireMembers(call, input.members);
  const group = await create(call, input);
  await addMembers(call, group.department, people);
  await auditGroup(call, group.department, { after: input });
  return group;
}

async function create(call: ScimCall, { displayName, external_id }: GroupInput): Promise<ScimDepartment> {
  const { db, now } = call.options;
  const { connection_id, organization_id } = call.connection;
  const at = new Date(now());
  const department = newDepartment({ department_id: randomUUIDv7(), organization_id, name: displayName }, at);
  const scim = { connection_id, external_id, version: 1, updated_at: at };
  try {
    await reserveDepartment(db, organization_id);
    await db.departments.insertOne({ ...department });
  } catch (error) {
    if (!isDuplicateKey(error, 'name_key')) throw error;
    return retake(call, displayName, external_id);
  }
  const { department_id } = department;
  await db.scimGroups.insertOne({ ...scim, department_id });
  return { department, scim: { ...scim, department_id } };
}

async function retake(
  call: ScimCall,
  displayName: string,
  external_id: string | null,
): Promise<ScimDepartment> {
  const { db, now } = call.options;
  const { connection_id, organization_id } = call.connection;
  const same: Department[] = await db.departments
    .find({ organization_id, name_key: { $in: nameKeys(displayName) } })
    .toArray();
  for (const department of same) {
    const { department_id } = department;
    requireOpen(department);
    const scim = await db.scimGroups.findOneAndUpdate(
      { connection_id, department_id, deleted: true },
      { $set: { external_id, updated_at: new Date(now()) }, $inc: { version: 1 }, $unset: { deleted: true } },
      { returnDocument: 'after' },
    );
    if (scim) return { department, scim };
  }
  throw new ScimError(409, 'There is a group with this displayName', 'uniqueness');
}
