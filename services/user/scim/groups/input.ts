import { invalidValue, ScimError } from '@gatehouse/scim/errors';
import { GROUP_ATTRIBUTES, isObject, readAttributes } from '@gatehouse/scim/schemas';
import { name } from '../../organizations/names.ts';
import { memberIds } from './members.ts';

/** A group as a client wrote it. */
export interface GroupInput {
  displayName: string;
  external_id: string | null;
  members: string[];
}

/** @throws {ScimError} */
export function readGroup(body: unknown): GroupInput {
  if (!isObject(body)) throw new ScimError(400, 'The body must be a JSON object', 'invalidSyntax');
  const { displayName, externalId, members } = readAttributes(body, GROUP_ATTRIBUTES);
  return {
    displayName: readName(displayName),
    external_id: (externalId as string | undefined) ?? null,
    members: memberIds(members),
  };
}

/** Reads the name of a department. @throws {ScimError} invalidValue. */
export function readName(given: unknown): string {
  const read = name.safeParse(given);
  if (!read.success) throw invalidValue(`displayName ${read.error.issues[0]?.message ?? 'is required'}`);
  return read.data;
}
