import type { AttributeNames, Protocol } from '../connection-records.ts';

export const PRESETS = ['okta', 'entra', 'google', 'keycloak'] as const;
export type Preset = (typeof PRESETS)[number];

/** Whose SAML clients refuse requests that are not signed, unless the administrator changes that. */
export const SIGNED_REQUESTS: readonly Preset[] = ['keycloak'];

/** The names of the specification, which an administrator enters where a provider has no names of its own. */
const SPECIFIED: AttributeNames = {
  email: 'email',
  firstName: 'firstName',
  lastName: 'lastName',
  role: 'role',
  department: 'department',
};

/** OpenID Connect Core 1.0 §5.1 has no claims for role and department. */
const STANDARD_CLAIMS: AttributeNames = {
  ...SPECIFIED,
  firstName: 'given_name',
  lastName: 'family_name',
};

/** inetOrgPerson (RFC 2798), which Active Directory shares but for the department. */
const INET_ORG_PERSON: AttributeNames = {
  ...SPECIFIED,
  email: 'mail',
  firstName: 'givenName',
  lastName: 'sn',
  department: 'departmentNumber',
};

const DEFAULTS: Record<Protocol, AttributeNames> = {
  saml: SPECIFIED,
  oidc: STANDARD_CLAIMS,
  ldap: INET_ORG_PERSON,
};

/** Where a provider's own names differ. In Okta and Google Workspace the administrator names SAML attributes. */
const NAMES: Record<Preset, Partial<Record<Protocol, Partial<AttributeNames>>>> = {
  okta: {},
  google: {},
  entra: {
    // The claims of an enterprise application; the administrator adds the department.
    saml: {
      email: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
      firstName: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname',
      lastName: 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname',
      role: 'http://schemas.microsoft.com/ws/2008/06/identity/claims/role',
    },
    // App roles.
    oidc: { role: 'roles' },
    // Active Directory.
    ldap: { department: 'department' },
  },
  keycloak: {
    // The built-in X500 mappers and the client scope role_list.
    saml: {
      email: 'urn:oid:1.2.840.113549.1.9.1',
      firstName: 'urn:oid:2.5.4.42',
      lastName: 'urn:oid:2.5.4.4',
      role: 'Role',
    },
  },
};

/** Returns the attribute names of a connection: those given, else those of the preset, else the defaults. */
export const attributeNames = (
  protocol: Protocol,
  preset: Preset | undefined,
  given: Partial<AttributeNames> = {},
): AttributeNames => ({
  ...DEFAULTS[protocol],
  ...(preset && NAMES[preset][protocol]),
  ...given,
});
