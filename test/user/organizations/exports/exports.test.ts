import { ROLES } from '@gatehouse/shared/access/rbac';
import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../../fixtures/envelope.ts';
import { eventually } from '../../../fixtures/eventually.ts';
import { forbidden, malformed, notFound } from '../../access/failures.ts';
import { NOWHERE, onePage, type Person, UUID } from '../organization-service.ts';
import { storeExport } from '../store-export.ts';
import { service, team, withOrganizations, withTeams } from '../with-organizations.ts';

const DAY = 86_400;

// Small chunks, so that every export has several.
withOrganizations({ exportTuning: { rows: 3, poll: 20 } });
withTeams();

const inDepartment = () => `${team.place}/exports`;
const inOrganization = () => `/${team.organization_id}/exports`;
const create = (person: Person, body: object, path = inDepartment()) => person.call('POST', path, body);

/** Creates an export and waits until it is ready. @returns its path and record. */
async function exported(person: Person, body: object, path = inDepartment()) {
  const created = await create(person, body, path);
  expect(created.status, JSON.stringify(created.body)).toBe(202);
  const to = `${path}/${created.body.export_id}`;
  const record = await eventually(async () => {
    const { body: job } = await person.call('GET', to);
    expect(job.status).toBe('ready');
    return job;
  });
  return { to, record };
}

const download = (person: Person, to: string, query = '', headers: Record<string, string> = {}) =>
  person.call('GET', `${to}/download${query}`, undefined, headers);

async function addMembers(count: number) {
  const people = [];
  for (let index = 0; index < count; index += 1) {
    const person = await service.newPerson();
    await service.storeMember(team, person, 'Viewer');
    people.push(person);
  }
  return people;
}

describe('an export', () => {
  test('is a job with true progress, then a file', async () => {
    await addMembers(5);
    const created = await create(team.people.Admin, { format: 'csv', data: ['members'] });
    const at = service.at();
    const record = {
      export_id: UUID,
      organization_id: team.organization_id,
      department_id: team.department_id,
      format: 'csv',
      data: ['members'],
      status: 'pending',
      error: null,
      progress: { rows_done: 0, rows_total: null },
      files: [],
      created_by: team.people.Admin.user_id,
      created_at: at,
      finished_at: null,
      expires_at: new Date(service.clock.now() + 7 * DAY * 1000).toISOString(),
    };
    expect(outcome(created)).toStrictEqual({ status: 202, body: record });
    const to = `${inDepartment()}/${created.body.export_id}`;
    const finished = await eventually(async () => {
      const { body } = await team.people.Admin.call('GET', to);
      expect(body.status).toBe('ready');
      return body;
    });
    expect(finished).toStrictEqual({
      ...record,
      status: 'ready',
      progress: { rows_done: 10, rows_total: 10 },
      files: [{ data: 'members', size: expect.any(Number), rows: 10 }],
      finished_at: at,
    });
    const { status, headers, body } = await download(team.people.Admin, to);
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-length': String(finished.files[0].size),
      'content-disposition': `attachment; filename="members-${at.slice(0, 10)}.csv"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      etag: `"${created.body.export_id}.members"`,
    });
    expect(Buffer.byteLength(body)).toBe(finished.files[0].size);
  });

  test('holds in CSV the members of the department', async () => {
    const { to } = await exported(team.people.Admin, { format: 'csv', data: ['members'] });
    const { body } = await download(team.people.Admin, to);
    const { department_id, organization } = team;
    const line = (role: (typeof ROLES)[number]) =>
      [
        department_id,
        team.people[role].user_id,
        role,
        'Person',
        '',
        team.ada.user_id,
        organization.created_at,
      ].join();
    expect(body.split('\r\n')).toEqual([
      'department_id,user_id,role,name,email,granted_by,granted_at',
      ...ROLES.map(line).sort(),
      '',
    ]);
  });

  test('holds in JSON an array for each data set', async () => {
    const { ada, people, department_id } = team;
    for (let turn = 0; turn < 4; turn += 1)
      await service.newChatbot(people.Editor, department_id, { name: `Chatbot ${turn}` });
    await service.storeInvitation(team, { email: 'grace@example.com' });
    const data = ['billing', 'chatbots', 'invitations', 'members', 'audit'];
    const { to, record } = await exported(ada, { format: 'json', data });
    const { headers, body } = await download(ada, to);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(Object.keys(body)).toStrictEqual([
      'export_id',
      'organization_id',
      'department_id',
      'created_at',
      ...data,
    ]);
    expect(body.chatbots.map(({ name }: { name: string }) => name)).toEqual([
      'Chatbot 0',
      'Chatbot 1',
      'Chatbot 2',
      'Chatbot 3',
    ]);
    expect(Object.keys(body.chatbots[0])).not.toContain('permissions');
    expect(body.invitations).toMatchObject([{ email: 'grace@example.com', department_id }]);
    expect(body.members).toHaveLength(5);
    expect(body.billing).toMatchObject([{ department_id, subscription_plan: 'Free' }]);
    // Events of the time of the call itself are not part of it.
    expect(body.audit).toEqual([]);
    expect(record.progress).toEqual({ rows_done: 11, rows_total: 11 });
  });

  test('an export of an empty department is valid', async () => {
    const { place } = await service.newDepartment(team.ada, team.organization_id);
    const json = await exported(
      team.ada,
      { format: 'json', data: ['chatbots', 'members'] },
      `${place}/exports`,
    );
    expect((await download(team.ada, json.to)).body).toMatchObject({ chatbots: [], members: [] });
    const csv = await exported(team.ada, { format: 'csv', data: ['invitations'] }, `${place}/exports`);
    expect((await download(team.ada, csv.to)).body).toMatch(/^department_id,invitation_id,[a-z_,]+\r\n$/);
  });

  test('an export of an organization holds all departments and nothing of another organization', async () => {
    const other = await service.newTeam();
    await service.newChatbot(other.ada, other.department_id);
    const second = await service.newDepartment(team.ada, team.organization_id);
    const newcomer = await service.newPerson();
    await service.addMember(team.ada, second.place, newcomer, 'Admin');
    await service.newChatbot(team.ada, second.department_id, { name: 'Second' });
    await service.newChatbot(team.ada, team.department_id, { name: 'First' });
    service.clock.advance(1);
    const data = ['members', 'chatbots', 'billing', 'audit'];
    const { to } = await exported(team.ada, { format: 'json', data }, inOrganization());
    const { body } = await download(team.ada, to);
    expect(body.department_id).toBe(null);
    expect(body.members[0]).toStrictEqual({
      department_id: null,
      user_id: team.ada.user_id,
      role: 'Owner',
      name: 'Person',
      email: null,
      granted_by: team.ada.user_id,
      granted_at: team.organization.created_at,
    });
    expect(body.members.map(({ user_id }: { user_id: string }) => user_id).sort()).toEqual(
      [team.ada, newcomer, ...ROLES.map((role) => team.people[role])].map(({ user_id }) => user_id).sort(),
    );
    expect(body.chatbots.map(({ name }: { name: string }) => name).sort()).toEqual(['First', 'Second']);
    expect(body.billing).toHaveLength(2);
    expect(body.audit.map(({ action }: { action: string }) => action)).toEqual([
      'department.create',
      'invitation.create',
      'invitation.accept',
      'chatbot.create',
      'chatbot.create',
    ]);
  });

  test('holds the billing record and its history, also what is not stored there yet', async () => {
    const { ada, place, department_id } = team;
    for (const subscription_plan of ['Starter', 'Business', 'Starter'])
      await ada.call('PATCH', `${place}/billing`, { subscription_plan });
    const waiting = await service.db.billingEntries.findOneAndDelete({ department_id, number: 3 });
    const { _id, department_id: _, ...entry } = waiting as NonNullable<typeof waiting>;
    await service.db.departments.updateOne({ department_id }, { $push: { billing_outbox: entry } });
    const { to } = await exported(ada, { format: 'csv', data: ['billing'] });
    const lines = (number: number | '', kind: string, plan: string, by: string) =>
      [department_id, number, service.at(), kind, plan, 'pending', by, '', '', ''].join();
    expect((await download(ada, to)).body.split('\r\n').slice(1)).toEqual([
      lines('', 'current', 'Starter', ''),
      lines(1, 'plan', 'Starter', ada.user_id),
      lines(2, 'plan', 'Business', ada.user_id),
      lines(3, 'plan', 'Starter', ada.user_id),
      '',
    ]);
  });

  test('neutralizes formulas in CSV', async () => {
    await service.newChatbot(team.ada, team.department_id, { name: '=cmd|calc!A1, "x"' });
    const { to } = await exported(team.ada, { format: 'csv', data: ['chatbots'] });
    expect((await download(team.ada, to)).body).toContain(`,"'=cmd|calc!A1, ""x""",`);
  });

  test('an archived department is exported as usual', async () => {
    await service.db.departments.updateOne(
      { department_id: team.department_id },
      { $set: { archived_at: service.at() } },
    );
    const { Admin } = team.people;
    const stranger = `${team.place}/members/${(await service.newPerson()).user_id}`;
    expect((await Admin.call('PUT', stranger, { role: 'Viewer' })).status).toBe(403);
    const { to } = await exported(Admin, { format: 'json', data: ['members'] });
    expect((await download(Admin, to)).body.members).toHaveLength(5);
    expect((await Admin.call('DELETE', to)).status).toBe(200);
  });

  test('is audited when it is created, downloaded and deleted', async () => {
    const { Admin } = team.people;
    const { to, record } = await exported(Admin, { format: 'csv', data: ['members'] });
    await download(Admin, to);
    await Admin.call('DELETE', to);
    const target = { export_id: record.export_id };
    const events = await service.db.auditEvents
      .find({ target }, { projection: { _id: 0, action: 1, user_id: 1, after: 1, department_id: 1 } })
      .sort({ event_id: 1 })
      .toArray();
    const common = { user_id: Admin.user_id, department_id: team.department_id };
    expect(events).toStrictEqual([
      { action: 'export.create', ...common, after: { format: 'csv', data: ['members'] } },
      { action: 'export.download', ...common, after: null },
      { action: 'export.delete', ...common, after: null },
    ]);
  });
});

describe('what a role may export', () => {
  const NEEDS = {
    members: 'view users',
    chatbots: 'view chatbot',
    invitations: 'view users',
    billing: 'view billing',
  };
  test.each([
    ['Owner', ['members', 'chatbots', 'audit', 'invitations', 'billing']],
    ['Admin', ['members', 'chatbots', 'audit', 'invitations']],
    ['Analyst', ['audit']],
  ] as const)('%s', async (role, allowed) => {
    for (const name of ['members', 'chatbots', 'audit', 'invitations', 'billing'] as const) {
      await service.db.exports.deleteMany({ organization_id: team.organization_id });
      const answer = await create(team.people[role], { format: 'csv', data: ['audit', name] });
      if ((allowed as readonly string[]).includes(name)) expect(answer.status, name).toBe(202);
      else
        expect(outcome(answer)).toStrictEqual(
          forbidden(service.clock, `To export ${name} needs the permission "${NEEDS[name as 'members']}"`),
        );
    }
  });

  async function auditedBy(person: Person) {
    await service.db.exports.deleteMany({ organization_id: team.organization_id });
    const { to } = await exported(person, { format: 'json', data: ['audit'] });
    return (await download(person, to)).body.audit;
  }

  test('audit events name people, addresses and bills as far as the role may see them', async () => {
    const { ada, people, place } = team;
    await ada.call('PUT', `${place}/members/${people.Editor.user_id}`, { role: 'Viewer' });
    await ada.call('PATCH', `${place}/billing`, { subscription_plan: 'Starter' });
    service.clock.advance(1);
    const [grant, plan] = await auditedBy(ada);
    expect(grant).toMatchObject({
      action: 'member.grant',
      actor: { user_id: ada.user_id, email: ada.email.toLowerCase() },
      address: ada.address,
      after: { role: 'Viewer' },
    });
    expect(plan.action).toBe('billing.plan');
    expect((await auditedBy(people.Owner)).slice(0, 2)).toEqual([
      { ...grant, actor: { user_id: ada.user_id, email: null }, address: null },
      { ...plan, actor: { user_id: ada.user_id, email: null }, address: null },
    ]);
    const ofAdmin = await auditedBy(people.Admin);
    expect(ofAdmin[0]).toEqual({ ...grant, actor: { user_id: ada.user_id, email: null }, address: null });
    expect(ofAdmin.map(({ action }: { action: string }) => action)).not.toContain('billing.plan');
    const ofAnalyst = await auditedBy(people.Analyst);
    expect(ofAnalyst[0]).toEqual({
      ...grant,
      actor: { user_id: null, email: null },
      target: {},
      before: null,
      after: null,
      address: null,
    });
    expect(JSON.stringify(ofAnalyst)).not.toMatch(/User-|@|billing/);
  });

  test('no audit event names who declines an invitation', async () => {
    const invited = await service.newPerson();
    const invitation_id = await service.storeInvitation(team, { email: invited.email.toLowerCase() });
    const declined = await invited.ask('POST', `/api/v1/invitations/${invitation_id}/decline`);
    expect(declined.status, JSON.stringify(declined.body)).toBe(200);
    service.clock.advance(1);
    for (const person of [team.ada, team.people.Admin, team.people.Analyst]) {
      const [event] = await auditedBy(person);
      expect(event).toMatchObject({
        action: 'invitation.decline',
        actor: { user_id: null, email: null },
        address: null,
      });
      expect(JSON.stringify(event)).not.toContain(invited.user_id);
    }
  });

  test('leaves out chatbots whose access list lowers the caller', async () => {
    const { people, department_id, ada } = team;
    const hidden = await service.newChatbot(ada, department_id, { name: 'Hidden' });
    await service.newChatbot(ada, department_id, { name: 'Open' });
    const grant = await ada.ask(
      'PUT',
      `/api/v1/chatbots/${hidden.chatbot_id}/access/${people.Admin.user_id}`,
      { role: 'Analyst' },
    );
    expect(grant.status).toBe(200);
    const names = async (person: Person) => {
      const { to } = await exported(person, { format: 'json', data: ['chatbots'] });
      return (await download(person, to)).body.chatbots.map(({ name }: { name: string }) => name);
    };
    expect(await names(people.Admin)).toEqual(['Open']);
    expect(await names(ada)).toEqual(['Hidden', 'Open']);
  });

  test('is for its creator and the Owners of the organization alone', async () => {
    const { Admin, Owner, Analyst } = team.people;
    const { to, record } = await exported(Admin, { format: 'csv', data: ['members'] });
    for (const person of [Owner, Analyst]) {
      expect(outcome(await person.call('GET', inDepartment()))).toStrictEqual(onePage());
      for (const [method, path] of [
        ['GET', to],
        ['GET', `${to}/download`],
        ['DELETE', to],
      ] as const)
        expect(outcome(await person.call(method, path))).toStrictEqual(notFound(service.clock));
    }
    expect(outcome(await team.ada.call('GET', inDepartment()))).toStrictEqual(onePage(record));
    expect(outcome(await team.ada.call('GET', inOrganization()))).toStrictEqual(onePage(record));
    expect((await download(team.ada, `${inOrganization()}/${record.export_id}`)).status).toBe(200);
    expect(outcome(await team.ada.call('GET', `${inDepartment()}?status=running`))).toStrictEqual(onePage());
    // The export of an organization is none of its departments'.
    const whole = await exported(team.ada, { format: 'csv', data: ['members'] }, inOrganization());
    const below = `${inDepartment()}/${whole.record.export_id}`;
    expect(outcome(await team.ada.call('GET', below))).toStrictEqual(notFound(service.clock));
  });

  test('is not downloaded by a creator who may see less by now', async () => {
    const { Admin } = team.people;
    const members = await exported(Admin, { format: 'csv', data: ['members'] });
    await service.addMember(team.ada, team.place, Admin, 'Analyst');
    expect(outcome(await download(Admin, members.to))).toStrictEqual(
      forbidden(service.clock, 'The export holds more than your role may see now'),
    );
    await service.addMember(team.ada, team.place, Admin, 'Viewer');
    expect(outcome(await download(Admin, members.to))).toStrictEqual(forbidden(service.clock));
    await service.addMember(team.ada, team.place, Admin, 'Owner');
    expect((await download(Admin, members.to)).status).toBe(200);
  });
});

describe('limits', () => {
  async function stored(times: number): Promise<string[]> {
    const { organization_id, department_id, ada } = team;
    const ids: string[] = [];
    while (ids.length < times)
      ids.push(await storeExport(service, { organization_id, department_id, created_by: ada.user_id }));
    return ids;
  }

  test('ten exports of an organization are stored', async () => {
    const [first = ''] = await stored(10);
    const BODY = { format: 'csv', data: ['members'] };
    const full = forbidden(
      service.clock,
      'The organization has 10 exports, the most that are stored; delete one first',
    );
    expect(outcome(await create(team.people.Admin, BODY))).toStrictEqual(full);
    expect(outcome(await create(team.ada, BODY, inOrganization()))).toStrictEqual(full);
    const deleted = await team.ada.call('DELETE', `${inDepartment()}/${first}`);
    expect(outcome(deleted)).toStrictEqual({ status: 200, body: { message: 'Export deleted' } });
    expect(await service.db.exportChunks.countDocuments({ export_id: first })).toBe(0);
    const answers = await Promise.all([1, 2, 3].map(() => create(team.people.Admin, BODY)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 403, 403]);
  });

  test('an expired export is gone, and makes room', async () => {
    const [first = ''] = await stored(10);
    service.clock.advance(7 * DAY);
    expect(outcome(await team.ada.call('GET', inDepartment()))).toStrictEqual(onePage());
    for (const path of ['', '/download'])
      expect(outcome(await team.ada.call('GET', `${inDepartment()}/${first}${path}`))).toStrictEqual(
        notFound(service.clock),
      );
    expect((await create(team.ada, { format: 'csv', data: ['members'] })).status).toBe(202);
  });

  test('three exports of an organization run', async () => {
    for (const [running_slot, export_id] of (await stored(3)).entries())
      await service.db.exports.updateOne({ export_id }, { $set: { running_slot, status: 'running' } });
    const refused = await create(team.people.Admin, { format: 'csv', data: ['members'] });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.body.error).toMatchObject({
      message: '3 exports of the organization are running; wait until one is ready',
      limit: 3,
    });
  });

  test.each([
    [{ data: ['members'] }, 'MISSING_FIELD', 'format is required'],
    [{ format: 'csv' }, 'MISSING_FIELD', 'data is required'],
    [{ format: 'xml', data: ['members'] }, 'INVALID_FORMAT', 'format must be one of json, csv'],
    [{ format: 'csv', data: [] }, 'INVALID_FORMAT', 'data must name a data set'],
    [{ format: 'csv', data: 'members' }, 'INVALID_FORMAT', 'data must be a list of data sets'],
    [
      { format: 'csv', data: ['secrets'] },
      'INVALID_FORMAT',
      'data.0 must be one of members, chatbots, audit, invitations, billing',
    ],
  ])('refuses %j', async (body, code, details) => {
    const answer = await create(team.ada, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatchObject({ code, details });
  });

  test('names each data set once', async () => {
    const { body } = await create(team.ada, { format: 'csv', data: ['audit', 'audit'] });
    expect(body.data).toEqual(['audit']);
  });
});

describe('a download', () => {
  const CONTENT = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 256));
  let to: string;
  let export_id: string;
  beforeEach(async () => {
    const { organization_id, department_id, ada } = team;
    const place = { organization_id, department_id, created_by: ada.user_id };
    // Chunks of 0 to 199 bytes.
    const chunks = [0, 100, 100, 299, 300, 499, 698, 801, 1_000].map((end, index, ends) =>
      CONTENT.subarray(ends[index - 1] ?? 0, end),
    );
    export_id = await storeExport(service, place, chunks);
    to = `${inDepartment()}/${export_id}`;
  });

  const bytes = async (headers: Record<string, string> = {}, method = 'GET') => {
    const answer = await fetch(`${service.url}/api/v1/organizations${to}/download`, {
      method,
      headers: { authorization: team.ada.bearer(), ...headers },
    });
    return { answer, content: Buffer.from(await answer.arrayBuffer()) };
  };

  test.each([
    ['bytes=0-', 0, 1_000],
    ['bytes=1-1', 1, 2],
    ['bytes=99-100', 99, 101],
    ['bytes=250-', 250, 1_000],
    ['bytes=299-', 299, 1_000],
    ['bytes=300-499', 300, 500],
    ['bytes=-5', 995, 1_000],
  ])('continues with Range: %s', async (range, start, end) => {
    const { answer, content } = await bytes({ range });
    expect(answer.status).toBe(206);
    expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/1000`);
    expect(answer.headers.get('content-length')).toBe(String(end - start));
    expect(content).toEqual(CONTENT.subarray(start, end));
  });

  test('is whole without a usable Range', async () => {
    const etag = `"${export_id}.audit"`;
    for (const headers of [
      {},
      { range: 'bytes=5-4' },
      { range: 'bytes=0-1,5-6' },
      { range: 'bytes=5-', 'if-range': '"another"' },
      { range: 'bytes=5-', 'if-range': `W/${etag}` },
    ]) {
      const { answer, content } = await bytes(headers);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('etag')).toBe(etag);
      expect(content).toEqual(CONTENT);
    }
    expect((await bytes({ range: 'bytes=5-', 'if-range': etag })).answer.status).toBe(206);
  });

  test('returns 416 with the size for a Range outside the file', async () => {
    const { answer, content } = await bytes({ range: 'bytes=1000-' });
    expect(answer.status).toBe(416);
    expect(answer.headers.get('content-range')).toBe('bytes */1000');
    expect(JSON.parse(content.toString()).error).toMatchObject({
      code: 'INVALID_FORMAT',
      message: 'Range not satisfiable',
    });
  });

  test('HEAD answers the size, reads nothing and is not audited', async () => {
    const before = await service.db.auditEvents.countDocuments({ action: 'export.download' });
    const { answer, content } = await bytes({ range: 'bytes=5-' }, 'HEAD');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-length')).toBe('1000');
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    expect(content).toHaveLength(0);
    expect(await service.db.auditEvents.countDocuments({ action: 'export.download' })).toBe(before);
  });

  test('breaks off when the export is deleted meanwhile', async () => {
    await service.db.exportChunks.deleteOne({ export_id, offset: 698 });
    await expect(bytes()).rejects.toThrow();
  });

  test('chooses the file of a CSV export by its data set', async () => {
    const { ada } = team;
    const csv = await exported(ada, { format: 'csv', data: ['members', 'billing'] });
    expect((await download(ada, csv.to, '?data=billing')).body).toMatch(/^department_id,number/);
    expect((await download(ada, csv.to, '?data=members')).body).toMatch(/^department_id,user_id/);
    for (const query of ['', '?data=audit'])
      expect(outcome(await download(ada, csv.to, query))).toStrictEqual(
        malformed('data must be one of members, billing', service.clock),
      );
    const json = await exported(ada, { format: 'json', data: ['members', 'billing'] });
    expect(outcome(await download(ada, json.to, '?data=members'))).toStrictEqual(
      malformed('data is for CSV; a JSON export is one file', service.clock),
    );
  });

  test('is 409 until the export is ready', async () => {
    await service.db.exports.updateOne({ export_id }, { $set: { status: 'running' } });
    const answer = await download(team.ada, to);
    expect(answer.status).toBe(409);
    expect(answer.body.error).toMatchObject({ details: 'The export is running' });
  });

  test('is 404 for an unknown export', async () => {
    for (const path of ['', '/download'])
      expect(outcome(await team.ada.call('GET', `${inDepartment()}/${NOWHERE}${path}`))).toStrictEqual(
        notFound(service.clock),
      );
  });
});
