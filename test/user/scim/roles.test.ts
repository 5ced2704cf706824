import { describe, expect, test } from 'vitest';
import { GROUP, person } from './scim-client.ts';
import { client, service, withScim } from './with-scim.ts';

withScim();

describe('a role that SCIM changes', () => {
  const replace = (roles: unknown) => [{ op: 'replace', path: 'roles', value: roles }];
  const named = (value: string, primary = true) => ({ value, primary });
  const patch = (operations: unknown) => (id: string) => client.patch(`/Users/${id}`, operations);
  /** A user with roles who is a member of a new group. */
  async function newMember(name: string, fields: object = { roles: [named('Admin')] }) {
    const { body } = await client.create(name, fields);
    const id = String(body.id);
    const group = { schemas: [GROUP], displayName: `Group of ${name}`, members: [{ value: id }] };
    return { id, department_id: String((await client.call('POST', '/Groups', group)).body.id) };
  }
  const roleAt = async (department_id: string) =>
    (await service.db.memberships.findOne({ department_id }))?.role;
  const accountRole = async (name: string) =>
    (await service.db.users.findOne({ email: `${name}@corp.example` }))?.role;

  test.each<[string, (id: string, name: string) => Promise<{ status: number }>, string]>([
    ['PATCH to another role', patch(replace([named('Editor')])), 'Editor'],
    ['PATCH to an unknown role', patch(replace([named('Astronaut')])), 'Viewer'],
    ['PATCH without a path', patch([{ op: 'replace', value: { roles: ['Astronaut'] } }]), 'Viewer'],
    [
      'PATCH that adds another primary',
      patch([{ op: 'add', path: 'roles', value: named('User') }]),
      'Viewer',
    ],
    [
      'PATCH of a value path',
      patch([{ op: 'replace', path: 'roles[primary eq "True"].value', value: 'User' }]),
      'Viewer',
    ],
    ['PATCH that removes the roles', patch([{ op: 'Remove', path: 'roles' }]), 'Viewer'],
    [
      'PATCH that removes one by a filter',
      patch([{ op: 'remove', path: 'roles[value eq "Admin"]' }]),
      'Viewer',
    ],
    [
      'PATCH that removes the value',
      patch([{ op: 'remove', path: 'roles[primary eq true].value' }]),
      'Viewer',
    ],
    ['PATCH to an empty list', patch(replace([])), 'Viewer'],
    ['PATCH to null', patch(replace(null)), 'Viewer'],
    ['PUT without roles', (id, name) => client.call('PUT', `/Users/${id}`, person(name)), 'Viewer'],
    [
      'Bulk',
      (id) =>
        client.call('POST', '/Bulk', {
          Operations: [
            {
              method: 'PATCH',
              path: `/Users/${id}`,
              data: { Operations: [{ op: 'remove', path: 'roles' }] },
            },
          ],
        }),
      'Viewer',
    ],
    [
      'deletion and creation without roles',
      async (id, name) => {
        await client.call('DELETE', `/Users/${id}`);
        return client.create(name);
      },
      'Viewer',
    ],
  ])('%s applies to the account and to what the connection granted', async (way, change, role) => {
    const name = way.toLowerCase().replaceAll(/\W/g, '-');
    const { id, department_id } = await newMember(name);
    expect(await roleAt(department_id)).toBe('Admin');
    expect((await change(id, name)).status).toBeLessThan(300);
    expect([await roleAt(department_id), await accountRole(name)]).toEqual([role, role]);
  });

  test('stays what it is for a provider that has never named one', async () => {
    const { id, department_id } = await newMember('unnamed', {});
    await service.db.memberships.updateOne({ department_id }, { $set: { role: 'Editor' } });
    await client.call('PUT', `/Users/${id}`, person('unnamed', { title: 'Engineer' }));
    expect(await roleAt(department_id)).toBe('Editor');
  });

  test('leaves what a person granted', async () => {
    const { id, department_id } = await newMember('trusted');
    await service.db.memberships.updateOne({ department_id }, { $set: { granted_by: 'User-100000' } });
    await patch([{ op: 'remove', path: 'roles' }])(id);
    expect([await roleAt(department_id), await accountRole('trusted')]).toEqual(['Admin', 'Viewer']);
  });

  test('applies to what the connection granted when the domain is no longer verified', async () => {
    const { id, department_id } = await newMember('moved');
    await service.db.users.updateOne(
      { email: 'moved@corp.example' },
      { $set: { email: 'moved@home.example' } },
    );
    await patch([{ op: 'remove', path: 'roles' }])(id);
    expect(await roleAt(department_id)).toBe('Viewer');
    expect(await service.db.users.findOne({ email: 'moved@home.example' })).toMatchObject({ role: 'Admin' });
  });

  test('is completed by a repeated call', async () => {
    const { id, department_id } = await newMember('repeated');
    await patch([{ op: 'remove', path: 'roles' }])(id);
    // As if the first call had been interrupted.
    await service.db.memberships.updateOne({ department_id }, { $set: { role: 'Admin' } });
    await patch([{ op: 'remove', path: 'roles' }])(id);
    expect(await roleAt(department_id)).toBe('Viewer');
  });

  test('is the last of concurrent ones', async () => {
    const { id, department_id } = await newMember('contested');
    const roles = ['Admin', 'Editor', 'Astronaut', 'Analyst', 'Admin', 'Astronaut', 'Editor', 'Astronaut'];
    await Promise.all(roles.map((role) => patch(replace([named(role)]))(id)));
    const { body } = await client.call('GET', `/Users/${id}`);
    const [{ value: last }] = body.roles;
    const role = last === 'Astronaut' ? 'Viewer' : last;
    expect([await roleAt(department_id), await accountRole('contested')]).toEqual([role, role]);
  });
});
