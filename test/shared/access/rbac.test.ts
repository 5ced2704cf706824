import {
  can,
  grantableBy,
  PERMISSIONS,
  permissionsOf,
  ROLES,
  rolesWith,
} from '@gatehouse/shared/access/rbac';
import { describe, expect, test } from 'vitest';
import { may, SPECIFIED_PERMISSIONS, SPECIFIED_ROLES } from '../../fixtures/permissions.ts';

describe('the permission table matches the contract', () => {
  test('has exactly the 5 roles and 22 permissions', () => {
    expect(ROLES).toEqual(SPECIFIED_ROLES);
    expect(PERMISSIONS).toHaveLength(22);
    expect(PERMISSIONS.toSorted()).toEqual(SPECIFIED_PERMISSIONS.toSorted());
  });

  test.each(PERMISSIONS)('%s', (permission) => {
    for (const role of ROLES) expect(can(role, permission), role).toBe(may(role, permission));
    expect(rolesWith(permission)).toEqual(ROLES.filter((role) => may(role, permission)));
  });
});

describe('permissionsOf', () => {
  test.each([
    ['Owner', 22],
    ['Admin', 19],
    ['Editor', 12],
    ['Viewer', 5],
    ['Analyst', 3],
  ] as const)('%s has %i', (role, count) => {
    expect(permissionsOf(role)).toHaveLength(count);
    expect(permissionsOf(role)).toEqual(PERMISSIONS.filter((permission) => may(role, permission)));
  });
});

describe('grantableBy', () => {
  test.each([
    ['Owner', ['Owner', 'Admin', 'Editor', 'Viewer', 'Analyst']],
    ['Admin', ['Admin', 'Editor', 'Viewer', 'Analyst']],
    ['Editor', []],
    ['Viewer', []],
    ['Analyst', []],
  ] as const)('%s grants %j', (granter, roles) => {
    expect(grantableBy(granter)).toEqual(roles);
  });

  test('no role grants a permission that it lacks', () => {
    for (const granter of ROLES)
      for (const role of grantableBy(granter))
        for (const permission of permissionsOf(role)) expect(may(granter, permission)).toBe(true);
  });
});
