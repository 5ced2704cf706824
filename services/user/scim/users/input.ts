import { invalidValue, ScimError } from '@gatehouse/scim/errors';
import {
  ENTERPRISE_SCHEMA,
  isObject,
  type Json,
  readAttributes,
  USER_ATTRIBUTES,
} from '@gatehouse/scim/schemas';
import { ROLES } from '@gatehouse/shared/access/rbac';
import { isPlainAddress } from '@gatehouse/shared/identity/email';
import type { ScimUser } from '@gatehouse/sso/records';
import { fullName } from '../../provisioning/account.ts';
import type { AssignedRole } from '../../provisioning/role.ts';

/** A user as a client wrote it. */
export interface UserInput {
  user_name: string;
  external_id: string | null;
  /** Undefined if the client does not say. */
  active: boolean | undefined;
  attributes: Json;
  /** The primary address. */
  email: string;
  /** Undefined if the client gives none. */
  name: string | undefined;
  /** Null for a name that is none of ours; undefined if the client gives no roles. */
  role: AssignedRole | null | undefined;
}

export const userNameKey = (user_name: string): string => user_name.toLowerCase();

/** Reads a user resource. @throws {ScimError} invalidValue, or 403 for the role Owner. */
export function readUser(body: unknown): UserInput {
  if (!isObject(body)) throw new ScimError(400, 'The body must be a JSON object', 'invalidSyntax');
  const {
    userName,
    externalId,
    active,
    [ENTERPRISE_SCHEMA]: enterprise,
    ...attributes
  } = readAttributes(body, USER_ATTRIBUTES);
  if (typeof userName !== 'string' || userName.trim() === '') throw invalidValue('userName is required');
  return {
    user_name: userName.trim(),
    external_id: (externalId as string | undefined) ?? null,
    active: active as boolean | undefined,
    // The name of the extension has dots, which field names of the database should not have.
    attributes: { ...attributes, ...(enterprise !== undefined && { enterprise }) },
    email: addressOf(userName.trim(), attributes),
    name: nameOf(attributes),
    role: roleOf(attributes),
  };
}

/** The user as `readUser` accepts it again. */
export const writableUser = ({ user_name, external_id, active, attributes }: ScimUser): Json => {
  const { enterprise, ...others } = attributes;
  return {
    userName: user_name,
    ...(external_id !== null && { externalId: external_id }),
    ...others,
    ...(enterprise !== undefined && { [ENTERPRISE_SCHEMA]: enterprise }),
    active,
  };
};

const valuesOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The primary address, or else the one for work, the first or the user name. */
function addressOf(user_name: string, { emails }: Json): string {
  const given = valuesOf(emails).filter(({ value }) => typeof value === 'string');
  const chosen =
    given.find(({ primary }) => primary === true) ??
    given.find(({ type }) => String(type).toLowerCase() === 'work') ??
    given[0];
  const address = String(chosen?.value ?? user_name);
  if (!isPlainAddress(address))
    throw invalidValue('The primary email, or else userName, must be a plain e-mail address');
  return address;
}

function nameOf({ name, displayName }: Json): string | undefined {
  const { givenName, familyName, formatted } = isObject(name) ? name : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return (
    fullName({ firstName: text(givenName), lastName: text(familyName) }) ??
    fullName({ firstName: text(formatted) ?? text(displayName), lastName: undefined })
  );
}

/** The primary role, or else the first. Providers also keep roles of their own here. */
function roleOf({ roles }: Json): AssignedRole | null | undefined {
  if (roles === undefined) return undefined;
  const given = valuesOf(roles);
  const { value } = given.find(({ primary }) => primary === true) ?? given[0] ?? {};
  const role = ROLES.find((each) => each.toLowerCase() === String(value).toLowerCase());
  if (role === 'Owner') throw new ScimError(403, 'Provisioning may not give the role Owner');
  return role ?? null;
}
