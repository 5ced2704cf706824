import { locationOf } from '@gatehouse/scim/location';
import { ENTERPRISE_SCHEMA, type Json, USER_SCHEMA } from '@gatehouse/scim/schemas';
import { etagOf } from '@gatehouse/scim/version';
import type { Identity, ScimUser } from '@gatehouse/sso/records';
import type { ScimCall } from '../call.ts';
import { writableUser } from './input.ts';

/** An identity that SCIM manages. */
export type ScimIdentity = Identity & { scim: ScimUser };

/** Returns user resources. @param withGroups whether the caller wants them. */
export async function presentUsers(
  { options, connection }: ScimCall,
  identities: readonly ScimIdentity[],
  { withGroups = true }: { withGroups?: boolean } = {},
): Promise<Json[]> {
  const { db } = options;
  const { organization_id } = connection;
  const user_id = { $in: identities.map((each) => each.user_id) };
  const memberships = withGroups ? await db.memberships.find({ user_id, organization_id }).toArray() : [];
  const departments =
    memberships.length === 0
      ? []
      : await db.departments
          .find({
            organization_id,
            department_id: { $in: [...new Set(memberships.map(({ department_id }) => department_id))] },
          })
          .toArray();
  const names = new Map(departments.map(({ department_id, name }) => [department_id, name]));
  const byUser = Map.groupBy(memberships, (membership) => membership.user_id);
  return identities.map((identity) => {
    const groups = (byUser.get(identity.user_id) ?? []).map(({ department_id }) => ({
      value: department_id,
      $ref: locationOf(options, 'Groups', department_id),
      display: names.get(department_id) ?? '',
      type: 'direct',
    }));
    return presentUser(options, identity, groups);
  });
}

function presentUser(
  options: ScimCall['options'],
  { identity_id, scim, created_at, updated_at }: ScimIdentity,
  groups: Json[],
): Json {
  return {
    schemas: [USER_SCHEMA, ...(scim.attributes.enterprise === undefined ? [] : [ENTERPRISE_SCHEMA])],
    id: identity_id,
    ...writableUser(scim),
    ...(groups.length > 0 && { groups }),
    meta: {
      resourceType: 'User',
      created: created_at.toISOString(),
      lastModified: updated_at.toISOString(),
      location: locationOf(options, 'Users', identity_id),
      version: etagOf(scim.version),
    },
  };
}
