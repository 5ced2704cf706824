import type { ScimCall } from '../call.ts';
import { auditGroup } from './audited.ts';
import { grantedMembers, removeMembers } from './members.ts';
import { nextVersion } from './records.ts';

/**
 * Deletes a group for this connection: ends the memberships that it granted. The department stays, with its chatbots
 * and its billing. @throws {ScimError}
 */
export async function deleteGroup(
  call: ScimCall,
  department_id: string,
  ifMatch: string | undefined,
): Promise<void> {
  // The mark comes last: an interrupted call can be repeated.
  const { department, scim } = await nextVersion(call, department_id, ifMatch);
  const granted = await grantedMembers(call, department);
  await removeMembers(
    call,
    department,
    granted.filter((user_id): user_id is string => typeof user_id === 'string'),
  );
  await nextVersion(call, department_id, undefined, { deleted: true });
  await auditGroup(call, department, {
    before: { displayName: department.name, external_id: scim.external_id },
  });
}
