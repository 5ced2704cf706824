import { invalidValue, notFound, ScimError } from '@gatehouse/scim/errors';
import { requiredBy } from '@gatehouse/scim/matches';
import type { PatchOperation } from '@gatehouse/scim/patch';
import { readValue } from '@gatehouse/scim/schemas';
import { requireVersion } from '@gatehouse/scim/version';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { nameKeys } from '../../organizations/departments/name-keys.ts';
import type { ScimCall } from '../call.ts';
import { auditGroup } from './audited.ts';
import { readGroup, readName } from './input.ts';
import { addMembers, grantedMembers, memberIds, removeMembers, requireMembers } from './members.ts';
import { findGroup, nextVersion, type ScimDepartment } from './records.ts';

/** The changes of a call to a group. */
interface GroupChange {
  displayName?: string;
  external_id?: string | null;
  /** All members, if the call names them all; then `added` and `removed` follow. */
  members?: string[];
  added: string[];
  removed: string[];
}

/** Replaces a group. @throws {ScimError} */
export function replaceGroup(
  call: ScimCall,
  id: string,
  body: unknown,
  ifMatch: string | undefined,
): Promise<ScimDepartment> {
  const input = readGroup(body);
  return changeGroup(call, id, ifMatch, { ...input, added: [], removed: [] });
}

/** Applies a PATCH. It reads no member but those that it names, however large the group. @throws {ScimError} */
export const patchGroup = (
  call: ScimCall,
  id: string,
  operations: readonly PatchOperation[],
  ifMatch: string | undefined,
): Promise<ScimDepartment> => changeGroup(call, id, ifMatch, readChange(operations));

function readChange(operations: readonly PatchOperation[]): GroupChange {
  const change: GroupChange = { added: [], removed: [] };
  for (const { op, attribute, filter, sub, value } of operations) {
    if (attribute.name === 'displayName') {
      if (op === 'remove') throw invalidValue('displayName is required');
      change.displayName = readName(value);
    } else if (attribute.name === 'externalId') {
      const given = op === 'remove' ? undefined : readValue(value, attribute);
      change.external_id = typeof given === 'string' ? given : null;
    } else if (attribute.name === 'members') {
      if (sub) throw new ScimError(400, 'A member cannot be changed, only added or removed', 'mutability');
      readMembers(change, op, filter && requiredBy(filter, attribute.subAttributes).value, {
        hasFilter: filter !== undefined,
        ids: memberIds(readValue(value, attribute)),
      });
    }
  }
  return change;
}

function readMembers(
  change: GroupChange,
  op: PatchOperation['op'],
  filtered: unknown,
  { hasFilter, ids }: { hasFilter: boolean; ids: string[] },
): void {
  if (hasFilter && (op !== 'remove' || typeof filtered !== 'string'))
    throw new ScimError(400, 'members takes the filter value eq "id", to remove one', 'invalidFilter');
  if (op === 'add') {
    change.added = [...new Set([...change.added, ...ids])];
    change.removed = change.removed.filter((id) => !ids.includes(id));
    return;
  }
  if (op === 'replace' || (!hasFilter && ids.length === 0)) {
    change.members = ids;
    change.added = [];
    change.removed = [];
    return;
  }
  const gone = new Set(hasFilter ? [String(filtered)] : ids);
  change.removed = [...new Set([...change.removed, ...gone])];
  change.added = change.added.filter((id) => !gone.has(id));
  if (change.members) change.members = change.members.filter((id) => !gone.has(id));
}

async function changeGroup(
  call: ScimCall,
  department_id: string,
  ifMatch: string | undefined,
  { displayName, external_id, members, added, removed }: GroupChange,
): Promise<ScimDepartment> {
  const { db } = call.options;
  const { organization_id, connection_id } = call.connection;
  const before = await findGroup(call, department_id);
  requireVersion(ifMatch, before.scim.version);
  // Everything is checked before anything is written.
  const present = await requireMembers(call, [...new Set([...(members ?? []), ...added])]);
  const gone = await db.ssoIdentities.find({ connection_id, identity_id: { $in: removed } }).toArray();
  const group = await nextVersion(call, department_id, ifMatch, {
    ...(external_id !== undefined && { external_id }),
  });
  const { name } = before.department;
  if (displayName !== undefined && displayName !== name) {
    try {
      const { matchedCount } = await db.departments.updateOne(
        { organization_id, department_id },
        { $set: { name: displayName, name_key: nameKeys(displayName) } },
      );
      if (matchedCount === 0) throw notFound();
    } catch (error) {
      if (!isDuplicateKey(error, 'name_key')) throw error;
      throw new ScimError(409, 'There is a group with this displayName', 'uniqueness');
    }
  }
  const department = { ...group.department, name: displayName ?? name };
  if (members) {
    const kept = new Set(present.map(({ user_id }) => user_id));
    const granted = await grantedMembers(call, department);
    await removeMembers(
      call,
      department,
      granted.filter((user_id): user_id is string => typeof user_id === 'string' && !kept.has(user_id)),
    );
  }
  await removeMembers(
    call,
    department,
    gone.map(({ user_id }) => user_id),
  );
  await addMembers(call, department, present);
  const isChanged =
    department.name !== name || (external_id !== undefined && external_id !== before.scim.external_id);
  if (isChanged)
    await auditGroup(call, department, {
      before: { displayName: name, external_id: before.scim.external_id },
      after: { displayName: department.name, external_id: group.scim.external_id },
    });
  return { department, scim: group.scim };
}
