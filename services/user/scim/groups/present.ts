import { locationOf } from '@gatehouse/scim/location';
import { GROUP_SCHEMA, type Json } from '@gatehouse/scim/schemas';
import { etagOf } from '@gatehouse/scim/version';
import type { ScimCall } from '../call.ts';
import { membersOf } from './members.ts';
import type { ScimDepartment } from './records.ts';

/** Returns group resources. @param withMembers whether the caller wants them. */
export async function presentGroups(
  call: ScimCall,
  groups: readonly ScimDepartment[],
  { withMembers = true }: { withMembers?: boolean } = {},
): Promise<Json[]> {
  const members = withMembers
    ? await membersOf(
        call,
        groups.map(({ department }) => department),
      )
    : new Map<string, Json[]>();
  return groups.map(({ department: { department_id, name, created_at }, scim }) => {
    const own = members.get(department_id) ?? [];
    return {
      schemas: [GROUP_SCHEMA],
      id: department_id,
      ...(scim.external_id !== null && { externalId: scim.external_id }),
      displayName: name,
      ...(own.length > 0 && {
        members: own.map((member) => ({
          ...member,
          $ref: locationOf(call.options, 'Users', String(member.value)),
        })),
      }),
      meta: {
        resourceType: 'Group',
        created: created_at,
        lastModified: scim.updated_at.toISOString(),
        location: locationOf(call.options, 'Groups', department_id),
        version: etagOf(scim.version),
      },
    };
  });
}
