import { expect, test } from 'vitest';
import { mapAttributes } from '../../../services/user/sso/profile.ts';

const NAMES = {
  email: 'mail',
  firstName: 'given',
  lastName: 'family',
  role: 'roles',
  department: 'groups',
};

test('takes the first value of a list', () => {
  const attributes = { mail: ['ada@corp.example', 'ada@else.example'], given: [' Ada '], groups: ['a', 'b'] };
  expect(mapAttributes(attributes, NAMES)).toEqual({
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
  expect(mapAttributes({ roles }, NAMES).role).toBe(role);
});
