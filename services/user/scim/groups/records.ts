import { changedMeanwhile, notFound, ScimError } from '@gatehouse/scim/errors';
import { requireVersion } from '@gatehouse/scim/version';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { optimistic } from '@gatehouse/shared/durable/optimistic';
import type { ScimGroup } from '@gatehouse/sso/records';
import type { Department } from '../../organizations/records.ts';
import type { ScimCall } from '../call.ts';

/** A department of the connection's organization, with what the connection knows of it. */
export interface ScimDepartment {
  department: Department;
  scim: ScimGroup;
}

/** The SCIM state of a department that the connection never changed. */
const unwritten = ({ connection }: ScimCall, { department_id, created_at }: Department): ScimGroup => ({
  connection_id: connection.connection_id,
  department_id,
  external_id: null,
  version: 1,
  updated_at: new Date(created_at),
});

/** Returns the groups of departments, without those that the connection has deleted. */
export async function groupsOf(
  call: ScimCall,
  departments: readonly Department[],
): Promise<ScimDepartment[]> {
  const { connection_id } = call.connection;
  const department_id = { $in: departments.map((each) => each.department_id) };
  const known = await call.options.db.scimGroups.find({ connection_id, department_id }).toArray();
  const byId = new Map(known.map((each) => [each.department_id, each]));
  return departments
    .map((department) => ({
      department,
      scim: byId.get(department.department_id) ?? unwritten(call, department),
    }))
    .filter(({ scim }) => !scim.deleted);
}

/** @throws {ScimError} 404. */
export async function findGroup(call: ScimCall, department_id: string): Promise<ScimDepartment> {
  const { organization_id } = call.connection;
  const department = await call.options.db.departments.findOne({ organization_id, department_id });
  const [group] = department ? await groupsOf(call, [department]) : [];
  if (!group) throw notFound();
  return group;
}

/** @throws {ScimError} 403 if the department is archived. */
export function requireOpen({ archived_at }: Department): void {
  if (archived_at !== undefined) throw new ScimError(403, 'The department is archived');
}

/**
 * Claims the next version of a group, which a change does before its own writes. One of several calls that expect the
 * same version succeeds. @throws {ScimError} 403, 404 or 412.
 */
export function nextVersion(
  call: ScimCall,
  department_id: string,
  ifMatch: string | undefined,
  changes: Partial<Pick<ScimGroup, 'external_id' | 'deleted'>> = {},
): Promise<ScimDepartment> {
  const { db, now } = call.options;
  return optimistic(
    async () => {
      const group = await findGroup(call, department_id);
      const { connection_id, version, external_id } = group.scim;
      requireOpen(group.department);
      requireVersion(ifMatch, version);
      const scim: ScimGroup = {
        connection_id,
        department_id,
        external_id,
        ...changes,
        version: version + 1,
        updated_at: new Date(now()),
      };
      try {
        // The first version is not stored: the upsert fails if a concurrent call has stored the next one.
        const { matchedCount, upsertedCount } = await db.scimGroups.replaceOne(
          { connection_id, department_id, version },
          scim,
          { upsert: version === 1 },
        );
        return matchedCount + upsertedCount === 1 ? { ...group, scim } : undefined;
      } catch (error) {
        if (isDuplicateKey(error)) return undefined;
        throw error;
      }
    },
    { attempts: 50, refusal: changedMeanwhile },
  );
}
