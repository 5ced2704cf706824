import type { ScimIdentity } from './present.ts';

/** The fields of a user that the audit records. */
export const auditedUser = ({ scim: { user_name, external_id, active, attributes } }: ScimIdentity) => ({
  userName: user_name,
  externalId: external_id,
  active: String(active),
  roles: Array.isArray(attributes.roles)
    ? attributes.roles.map(({ value }: { value?: unknown }) => String(value))
    : null,
});
