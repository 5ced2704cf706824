import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completeServiceAccountDeletions } from '../../../services/user/keys/service-accounts/remove.ts';
import { eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import type { Answered } from '../../fixtures/http.ts';
import { type KeyService, startKeyService } from './key-service.ts';

let service: KeyService;
beforeAll(async () => {
  service = await startKeyService();
});
afterAll(() => service.stop());

const refusal = ({ status, body }: Answered) => [status, body.error?.details];
const missing = () => [404, 'Not found'];
const pathOf = ({ organization_id }: { organization_id: string }) =>
  `/api/v1/organizations/${organization_id}/service-accounts`;
const CREATE = '/api/v1/chatbots/create';
const BOT = { name: 'Receptionist', type: '3d', avatar_id: 'avatar-7', language: 'en-GB' };

describe('a service account', () => {
  test('is made by whoever assigns roles, and acts with its own', async () => {
    const team = await service.newTeam();
    const { ada, people, department_id, organization_id } = team;
    let answer: Awaited<ReturnType<typeof ada.ask>> | undefined;
    const roles = [{ department_id, role: 'Editor' }];
    const events = await eventsOf(service, async () => {
      answer = await people.Admin.ask('POST', pathOf(team), { name: 'Crawler', roles });
    });
    const { service_account_id } = answer?.body ?? {};
    expect(answer && outcome(answer)).toEqual({
      status: 201,
      body: {
        service_account_id: expect.stringMatching(/^Service-[0-9a-f-]{36}$/),
        organization_id,
        name: 'Crawler',
        roles,
        created_at: new Date(service.clock.now()).toISOString(),
        created_by: people.Admin.user_id,
      },
    });
    expect(events).toMatchObject([
      {
        action: 'service_account.create',
        organization_id,
        target: { service_account_id },
        after: { name: 'Crawler', roles: [`${department_id} Editor`] },
      },
    ]);
    expect((await ada.ask('GET', pathOf(team))).body).toEqual({ service_accounts: [answer?.body] });
    expect((await ada.ask('GET', `${pathOf(team)}/${service_account_id}`)).body).toEqual(answer?.body);

    const permissions = ['create chatbot', 'view chatbot', 'view organizations'];
    const { key } = await service.newKey(
      people.Admin,
      { permissions },
      `${pathOf(team)}/${service_account_id}/keys`,
    );
    const made = await service.callGateway(key, 'POST', CREATE, { ...BOT, department_id });
    expect([made.status, made.body.owner_id]).toEqual([201, service_account_id]);
    const own = await service.callGateway(key, 'GET', '/api/v1/users/me/roles');
    expect(own.body.organizations).toMatchObject([
      { organization_id, role: null, departments: [{ department_id, role: 'Editor' }] },
    ]);
    const audit = await ada.call('GET', `/${organization_id}/audit?action=chatbot.create`);
    expect(audit.body.data[0].actor).toMatchObject({ user_id: service_account_id, email: null });
  });

  test('is counted and listed nowhere among people', async () => {
    const team = await service.newTeam();
    const before = await team.ada.call('GET', `${team.place}/members`);
    await service.newServiceAccount(team.ada, team);
    expect((await team.ada.call('GET', `${team.place}/members`)).body).toEqual(before.body);
    expect((await team.ada.call('GET', `/${team.organization_id}/members`)).body.pagination.total_items).toBe(
      6,
    );
  });

  test('has no profile, no personal chatbots and nothing for Owners', async () => {
    const team = await service.newTeam();
    const { key, path } = await service.newServiceAccount(team.ada, team, {
      role: 'Admin',
      permissions: ['create chatbot', 'export data', 'view organizations', 'platform'],
    });
    expect(refusal(await service.call(key, 'POST', CREATE, BOT))).toEqual([
      403,
      'A service account has no personal chatbots',
    ]);
    const exports = `/api/v1/organizations/${team.organization_id}/exports`;
    expect(refusal(await service.call(key, 'GET', exports))).toEqual([403, 'Forbidden']);
    for (const permission of [
      'view profile',
      'edit profile',
      'view audit',
      'manage webhooks',
      'view admin',
      'admin',
    ])
      expect(
        (await team.ada.ask('POST', `${path}/keys`, { name: 'R', permissions: [permission] })).status,
      ).toBe(400);
  });

  test('is never an Owner', async () => {
    const team = await service.newTeam();
    const roles = [{ department_id: team.department_id, role: 'Owner' }];
    const answer = await team.ada.ask('POST', pathOf(team), { name: 'Crawler', roles });
    expect(answer.status).toBe(400);
  });

  test.each(['Editor', 'Viewer', 'Analyst'] as const)('is not made by an %s', async (role) => {
    const team = await service.newTeam();
    const roles = [{ department_id: team.department_id, role: 'Viewer' }];
    const answer = await team.people[role].ask('POST', pathOf(team), { name: 'Crawler', roles });
    expect(refusal(answer)).toEqual([403, 'Forbidden']);
  });

  test('has no role where its maker has none', async () => {
    const [team, other] = [await service.newTeam(), await service.newTeam()];
    const second = await service.newDepartment(team.ada, team.organization_id);
    for (const department_id of [other.department_id, second.department_id, 'unknown']) {
      const roles = [{ department_id, role: 'Viewer' }];
      expect(refusal(await team.people.Admin.ask('POST', pathOf(team), { name: 'C', roles }))).toEqual(
        missing(),
      );
    }
    const roles = [{ department_id: other.department_id, role: 'Viewer' }];
    expect(refusal(await team.ada.ask('POST', pathOf(team), { name: 'C', roles }))).toEqual(missing());
  });

  test('with a role in another department is out of reach for an Admin of one', async () => {
    const team = await service.newTeam();
    const { Admin } = team.people;
    const second = await service.newDepartment(team.ada, team.organization_id);
    const roles = [
      { department_id: team.department_id, role: 'Viewer' },
      { department_id: second.department_id, role: 'Admin' },
    ];
    const { body } = await team.ada.ask('POST', pathOf(team), { name: 'Crawler', roles });
    const path = `${pathOf(team)}/${body.service_account_id}`;
    const key = { name: 'Robot', permissions: ['platform'] };
    expect(refusal(await Admin.ask('GET', path))).toEqual(missing());
    expect(refusal(await Admin.ask('POST', `${path}/keys`, key))).toEqual(missing());
    expect(refusal(await Admin.ask('GET', `${path}/keys`))).toEqual(missing());
    expect(refusal(await Admin.ask('PATCH', path, { name: 'Mine' }))).toEqual(missing());
    expect(refusal(await Admin.ask('DELETE', path))).toEqual(missing());
    expect((await Admin.ask('GET', pathOf(team))).body).toEqual({ service_accounts: [] });
  });

  test('of another organization is unknown, whatever the path names', async () => {
    const [team, other] = [await service.newTeam(), await service.newTeam()];
    const { service_account_id, path } = await service.newServiceAccount(other.ada, other);
    expect(refusal(await team.ada.ask('GET', `${pathOf(team)}/${service_account_id}`))).toEqual(missing());
    expect(refusal(await team.ada.ask('GET', path))).toEqual(missing());
  });

  test('gets other roles, which count for the next call', async () => {
    const team = await service.newTeam();
    const { department_id } = team;
    const { key, path } = await service.newServiceAccount(team.ada, team, {
      permissions: ['create chatbot'],
    });
    expect((await service.call(key, 'POST', CREATE, { ...BOT, department_id })).status).toBe(201);
    const roles = [{ department_id, role: 'Viewer' }];
    const { body } = await team.ada.ask('PATCH', path, { roles });
    expect([body.name, body.roles]).toEqual(['Crawler', roles]);
    expect((await service.call(key, 'POST', CREATE, { ...BOT, department_id })).status).toBe(403);
  });

  test('stays when its maker leaves', async () => {
    const team = await service.newTeam();
    const { Admin } = team.people;
    const { key } = await service.newServiceAccount(Admin, team, { permissions: ['view organizations'] });
    await team.ada.call('DELETE', `${team.place}/members/${Admin.user_id}`);
    await service.db.users.deleteOne({ user_id: Admin.user_id });
    const answer = await service.call(key, 'GET', `/api/v1/organizations/${team.organization_id}`);
    expect(answer.status).toBe(200);
  });

  test('has the rate tier of the best paid plan of its organization', async () => {
    const team = await service.newTeam();
    const { key } = await service.newServiceAccount(team.ada, team, { permissions: ['view organizations'] });
    const limit = async () =>
      (await service.callGateway(key, 'GET', '/api/v1/organizations')).headers.get('x-ratelimit-limit');
    expect(await limit()).toBe('60');
    await service.db.departments.updateOne(
      { department_id: team.department_id },
      { $set: { 'billing.subscription_plan': 'Business', 'billing.payment_status': 'paid' } },
    );
    expect(await limit()).toBe('600');
  });

  test('is one of at most twenty of its organization', async () => {
    const team = await service.newTeam();
    const body = { name: 'C', roles: [{ department_id: team.department_id, role: 'Viewer' }] };
    const made = await Promise.all(
      Array.from({ length: 21 }, () => team.ada.ask('POST', pathOf(team), body)),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(made.filter(({ status }) => status === 409)).toHaveLength(1);
  });
});

describe('the key of a service account ends', () => {
  const invalid = [401, 'Invalid token'];
  async function working() {
    const team = await service.newTeam();
    const made = await service.newServiceAccount(team.ada, team, { permissions: ['view organizations'] });
    const call = async () => {
      const { status, body } = await service.callGateway(made.key, 'GET', '/api/v1/organizations');
      return [status, body.error?.details];
    };
    expect(await call()).toEqual([200, undefined]);
    return { ...team, ...made, call };
  }

  test('with it, and nothing of it is left', async () => {
    const { ada, path, call, service_account_id } = await working();
    expect((await ada.ask('DELETE', path)).body).toEqual({ message: 'Service account deleted' });
    expect(await call()).toEqual(invalid);
    expect(await service.db.machineKeys.countDocuments({ owner: service_account_id })).toBe(0);
    expect(await service.db.serviceAccounts.countDocuments({ service_account_id })).toBe(0);
    expect(refusal(await ada.ask('DELETE', path))).toEqual(missing());
  });

  test('when its deletion has begun, which the next start completes', async () => {
    const { service_account_id, call } = await working();
    await service.db.serviceAccounts.updateOne({ service_account_id }, { $set: { deleting: true } });
    expect(await call()).toEqual(invalid);
    await completeServiceAccountDeletions(service.db);
    expect(await service.db.machineKeys.countDocuments({ owner: service_account_id })).toBe(0);
  });

  test('while its organization is archived', async () => {
    const { ada, organization_id, call } = await working();
    expect((await ada.call('POST', `/${organization_id}/archive`, {})).status).toBe(200);
    expect(await call()).toEqual(invalid);
    await ada.call('POST', `/${organization_id}/restore`, {});
    expect(await call()).toEqual([200, undefined]);
  });

  test('when its organization is being deleted, and when it is gone', async () => {
    const { organization_id, call } = await working();
    const deleting = { by: { user_id: null, email: null } };
    await service.db.organizations.updateOne({ organization_id }, { $set: { deleting: deleting as never } });
    expect(await call()).toEqual(invalid);
    await service.db.organizations.deleteOne({ organization_id });
    expect(await call()).toEqual(invalid);
  });

  test('in a department that is gone, and only reads in an archived one', async () => {
    const team = await service.newTeam();
    const { department_id } = team;
    const { key } = await service.newServiceAccount(team.ada, team, {
      permissions: ['create chatbot', 'view chatbot'],
    });
    await service.db.departments.updateOne(
      { department_id },
      { $set: { archived_at: new Date().toISOString() } },
    );
    const refused = await service.call(key, 'POST', CREATE, { ...BOT, department_id });
    expect([refused.status, refused.body.error.details]).toEqual([403, 'The department is archived']);
    expect((await service.call(key, 'GET', `/api/v1/chatbots?department_id=${department_id}`)).status).toBe(
      200,
    );
    await service.db.departments.deleteOne({ department_id });
    expect((await service.call(key, 'POST', CREATE, { ...BOT, department_id })).status).toBe(404);
  });
});
