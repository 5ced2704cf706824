import { mapAttributes } from '@gatehouse/sso/profile';
import { expect, test } from 'vitest';

const names = {
  email: 'mail',
  firstName: 'given',
  lastName: 'family',
  role: 'roles',
  department: 'groups',
};
const RULES = { protocol: 'saml', attributes: names } as const;

test('takes the first value of a list', () => {
  const attributes = { mail: ['ada@corp.example', 'ada@else.example'], given: [' Ada '], groups: ['a', 'b'] };
  expect(mapAttributes(attributes, RULES)).toEqual({
    email: 'ada@corp.example',
    firstName: 'Ada',
    lastName: undefined,
    role: undefined,
    department: 'a',
  });
});

test.each<[string, unknown, string | undefined]>([
  // As Keycloak sends the roles of a realm.
  ['its own roles first', ['default-roles-corp', 'offline_access', 'Editor'], 'Editor'],
  ['several of our roles', ['viewer', 'Admin'], 'viewer'],
  ['Owner, which is then refused', ['offline_access', 'OWNER', 'Viewer'], 'OWNER'],
  ['none of our roles', ['default-roles-corp', 'offline_access'], 'default-roles-corp'],
  ['values that are not text', [null, { role: 'Admin' }, '', ' Editor '], 'Editor'],
  ['one role', 'Analyst', 'Analyst'],
  ['an empty list', [], undefined],
])('takes the first role that we know from a provider that sends %s', (_what, roles, role) => {
  expect(mapAttributes({ roles }, RULES).role).toBe(role);
});

const TABLE = [
  { group: 'cn=Admins,ou=Groups,dc=corp,dc=example', role: 'Admin' },
  { group: '0f3c7d52-staff', role: 'Editor' },
  { group: 'cn=R\\2CD,dc=corp', role: 'Analyst' },
] as const;

test.each<[string, 'saml' | 'ldap', string[], string | undefined]>([
  ['the first row that matches', 'saml', ['0f3c7d52-staff', TABLE[0].group], 'Admin'],
  ['another spelling of a distinguished name', 'ldap', ['CN=admins, OU=groups,DC=corp,dc=example'], 'Admin'],
  ['another escape in a distinguished name', 'ldap', ['cn=R\\,D,dc=corp'], 'Analyst'],
  ['the exact name alone of other groups', 'saml', ['0F3C7D52-STAFF'], '0F3C7D52-STAFF'],
  ['no part of a distinguished name', 'ldap', ['cn=admins'], 'cn=admins'],
  [
    'no name with a backslash before a letter',
    'ldap',
    ['cn=Ad\\5cmins,ou=Groups,dc=corp,dc=example'],
    'cn=Ad\\5cmins,ou=Groups,dc=corp,dc=example',
  ],
  ['a role that we know when no row matches', 'saml', ['others', 'Viewer'], 'Viewer'],
])('reads the role of groups by %s', (_what, protocol, roles, role) => {
  const rules = { ...RULES, protocol, group_roles: [...TABLE] };
  expect(mapAttributes({ roles }, rules).role).toBe(role);
});
