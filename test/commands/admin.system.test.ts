import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../services/user/database.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { bodyOf, startHttp } from '../fixtures/gateway.ts';
import { newMember } from '../fixtures/members.ts';
import { runGatehouse } from './run-gatehouse.ts';

const REASON = ['--reason', 'runs the deployment'];

describe('directly on the database', () => {
  let fresh: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
  beforeAll(async () => {
    fresh = await freshDatabase(COLLECTIONS);
  });
  afterAll(() => fresh.drop());
  beforeEach(async () => {
    for (const collection of [fresh.db.users, fresh.db.operators, fresh.db.auditEvents])
      await collection.deleteMany({});
  });
  /** Nothing waits for an approval there: there may be no other admin yet. */
  const env = () => ({ MONGODB_URI: fresh.uri, ADMIN_APPROVALS: 'on' });
  const gatehouse = (...args: string[]) => runGatehouse(args, env());

  test('the first operator is added by e-mail, and everything is audited', async () => {
    const { email, user_id } = await newMember(fresh.db);
    const added = await gatehouse('operators', 'add', email.toUpperCase(), '--level', 'admin', ...REASON);
    expect(added).toStrictEqual({
      code: 0,
      stdout: `${user_id} is an operator with the level admin\n`,
      stderr: '',
    });
    expect(await fresh.db.operators.find().toArray()).toMatchObject([
      { _id: user_id, level: 'admin', added_by: 'command line' },
    ]);
    expect(await fresh.db.auditEvents.find().toArray()).toMatchObject([
      {
        action: 'admin.operator_set',
        user_id: 'command line',
        target: { user_id },
        after: { level: 'admin', reason: 'runs the deployment' },
      },
    ]);
    const { code, stdout } = await gatehouse('operators', 'list', '--json');
    expect({ code, ...JSON.parse(stdout) }).toStrictEqual({
      code: 0,
      data: [{ user_id, level: 'admin', added_at: expect.any(String), added_by: 'command line' }],
    });
    const lines = (await gatehouse('operators', 'list')).stdout.split('\n');
    expect(lines[0]).toMatch(/^user_id +level +added +by$/);
    expect(lines[1]).toMatch(new RegExp(`^${user_id} +admin +.* +command line$`));
  });

  test('a link for the first operator, while there is none', async () => {
    const { code, stdout } = await gatehouse('operators', 'link');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http:\/\/localhost:8000\/admin#claim=[\w-]{43}\n$/);
    const { email } = await newMember(fresh.db);
    await gatehouse('operators', 'add', email, '--level', 'support', ...REASON);
    expect(await gatehouse('operators', 'link')).toStrictEqual({
      code: 3,
      stdout: '',
      stderr: 'gatehouse: there is an operator, who can add others\n',
    });
  });

  test('the last admin stays; a support operator goes', async () => {
    const [one, two] = [await newMember(fresh.db), await newMember(fresh.db)];
    await gatehouse('operators', 'add', one.user_id as string, '--level', 'admin', ...REASON);
    await gatehouse('operators', 'add', two.email, '--level', 'support', ...REASON);
    const refused = await gatehouse('operators', 'remove', one.email, '--yes', ...REASON);
    expect({ code: refused.code, stdout: refused.stdout }).toStrictEqual({ code: 3, stdout: '' });
    expect(refused.stderr).toMatch(/^gatehouse: /);
    expect((await gatehouse('operators', 'remove', two.email, '--yes', ...REASON)).code).toBe(0);
    expect(await fresh.db.operators.distinct('_id')).toStrictEqual([one.user_id]);
  });

  test('somebody who is not verified has no user_id, and is found and helped by e-mail', async () => {
    const email = 'grace@example.com';
    const user = { email, password: 'secret', name: 'Grace', verified: false, account_status: 'paused' };
    await fresh.db.users.insertOne(user as never);
    const { code, stdout } = await gatehouse('users', 'why', email);
    expect({ code, stdout }).toStrictEqual({ code: 0, stdout: expect.stringMatching(/^blocks /m) });
    expect((await gatehouse('users', 'verify', email, ...REASON)).code).toBe(0);
    expect((await fresh.db.users.findOne({ email }))?.verified).toBe(true);
  });

  test('an organization is shown, and its quotas follow', async () => {
    const { user_id } = await newMember(fresh.db);
    const organization_id = 'org-1';
    const owners = [{ user_id, granted_by: user_id, granted_at: '2026-01-15T09:30:00.000Z' }];
    await fresh.db.organizations.insertOne({
      organization_id,
      name: 'Engines\u001b[2J',
      owners,
      created_at: '2026-01-15T09:30:00.000Z',
    } as never);
    const quotas = ['--departments', '150', '--members', 'plan'];
    const { code, stdout } = await gatehouse(
      'organizations',
      'quotas',
      organization_id,
      ...quotas,
      ...REASON,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('Engines\ufffd[2J (org-1)');
    expect(stdout).toContain(
      'departments 150 (set by an operator), members of each as the plan of each says',
    );
    expect(stdout).toContain(user_id);
    expect((await fresh.db.organizations.findOne({ organization_id }))?.quotas).toStrictEqual({
      departments: 150,
    });
  });

  test.each([
    ['nobody@example.com', 'no account has the address nobody@example.com'],
    ['User-999999', 'Not found: No active account has this user_id'],
    ['../../admin/me', 'Not found: No active account has this user_id'],
  ])('%s cannot be an operator', async (who, message) => {
    const { code, stderr } = await gatehouse('operators', 'add', who, '--level', 'admin', ...REASON);
    expect({ code, stderr }).toStrictEqual({ code: 3, stderr: `gatehouse: ${message}\n` });
    expect(await fresh.db.operators.countDocuments()).toBe(0);
  });
});

describe('over HTTP', () => {
  interface Call {
    line: string;
    authorization: string | undefined;
    body: unknown;
  }
  const calls: Call[] = [];
  let answer: (response: ServerResponse, request: IncomingMessage) => void;
  let server: Awaited<ReturnType<typeof startHttp>>;
  beforeAll(async () => {
    server = await startHttp(async (request, response) => {
      const body = await bodyOf(request);
      const { authorization } = request.headers;
      calls.push({
        line: `${request.method} ${request.url}`,
        authorization,
        body: body === '' ? undefined : JSON.parse(body),
      });
      answer(response, request);
    });
  });
  afterAll(() => server.stop());
  afterEach(() => void calls.splice(0));

  const json = (body: unknown, status = 200) => {
    answer = (response) => void response.writeHead(status).end(JSON.stringify(body));
  };
  const gatehouse = (args: string[], env = {}) =>
    runGatehouse(args, { GATEHOUSE_URL: server.url, GATEHOUSE_KEY: 'gh_key', ...env });

  test.each([
    [['users', 'show', 'User-1'], 'GET /api/v1/admin/people/User-1', undefined],
    [['users', 'show', '../me?x#y'], 'GET /api/v1/admin/people/..%2Fme%3Fx%23y', undefined],
    [['users', 'disable', 'User-1', ...REASON], 'POST /api/v1/admin/people/User-1/disable', {}],
    [
      ['users', 'reset-factor', 'User-1', '--yes', ...REASON],
      'POST /api/v1/admin/people/User-1/reset-factor',
      {},
    ],
    [['users', 'delete', 'User-1', '--yes', ...REASON], 'POST /api/v1/admin/people/User-1/delete', {}],
    [
      ['organizations', 'plan', 'org 1', '--department', 'd', '--plan', 'Business', ...REASON],
      'PUT /api/v1/admin/organizations/org%201/plan',
      { department_id: 'd', subscription_plan: 'Business', payment_status: 'paid' },
    ],
    [
      ['sessions', 'end', 'User-1', 's-1', ...REASON],
      'DELETE /api/v1/admin/people/User-1/sessions/s-1',
      {},
      { session_id: 's-1' },
    ],
    [['keys', 'delete', 'k-1', '--yes', ...REASON], 'DELETE /api/v1/admin/keys/k-1', {}, { key_id: 'k-1' }],
    [
      ['organizations', 'add-owner', 'org', 'User-1', ...REASON],
      'POST /api/v1/admin/organizations/org/owners',
      { user_id: 'User-1' },
    ],
  ])('%j calls the admin API', async (args, line, body, shown: object = { done: true }) => {
    json({ done: true });
    const { code, stdout } = await gatehouse([...args, '--json']);
    expect({ code, answer: JSON.parse(stdout) }).toStrictEqual({ code: 0, answer: shown });
    const sent = body && { ...body, reason: 'runs the deployment' };
    expect(calls).toStrictEqual([{ line, authorization: 'Bearer gh_key', body: sent }]);
  });

  test.each([
    [
      ['organizations', 'quotas', 'org', '--departments', '0', '--members', 'plan'],
      '--departments must be a number',
    ],
    [['organizations', 'quotas', 'org', '--departments', '5'], '--members is required'],
    [['organizations', 'plan', 'org', '--plan', 'Free'], '--department is required'],
    [['operators', 'link'], 'operators link works on MONGODB_URI only'],
    [['keys', 'rotate', 'k-1', '--overlap', '1'], 'keys rotate works on MONGODB_URI only'],
    [['operators', 'add', 'User-1', '--level', 'root'], '--level must be one of admin, support'],
  ])('%j is wrong usage, and calls nothing', async (args, message) => {
    const { code, stderr } = await gatehouse([...args, ...REASON]);
    expect({ code, stderr }).toStrictEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(calls).toStrictEqual([]);
  });

  test('names that would control the terminal are shown harmlessly, and JSON stays what it is', async () => {
    const name = 'Ada\u001b[2J\u001b]0;owned\u0007\r\nok\u009b31m\u202egnp';
    json({
      data: [{ person_id: 'User-1', email: 'a@b.example', name, state: 'active', plan: 'Free' }],
      pagination: { total_items: 1, has_next: false },
    });
    const shown = await gatehouse(['users', 'search', 'ada'], { FORCE_COLOR: '0' });
    expect(shown.stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(shown.stdout.split('\n')).toHaveLength(4);
    const written = await gatehouse(['users', 'search', 'ada', '--json']);
    expect(written.stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(JSON.parse(written.stdout).data[0].name).toBe(name);
  });

  test('what no key may do says where it can be done', async () => {
    json({ error: { code: 'FORBIDDEN', message: 'Forbidden', details: 'A key cannot make this call' } }, 403);
    expect((await gatehouse(['users', 'verify', 'User-1', ...REASON])).stderr).toBe(
      'gatehouse: Forbidden: A key cannot make this call. Use the console, or unset GATEHOUSE_URL and work on MONGODB_URI.\n',
    );
  });

  test('a refusal is told in its words, harmlessly', async () => {
    json({ error: { code: 'FORBIDDEN', message: 'Forbidden\u001b[2J' } }, 403);
    expect(await gatehouse(['users', 'show', 'User-1'])).toStrictEqual({
      code: 3,
      stdout: '',
      stderr: 'gatehouse: Forbidden\ufffd[2J\n',
    });
  });

  test('the key follows no redirect, and no other answer passes for one', async () => {
    answer = (response) => void response.writeHead(302, { location: '/elsewhere' }).end();
    expect((await gatehouse(['users', 'show', 'User-1'])).code).toBe(3);
    expect(calls).toHaveLength(1);
    answer = (response) => void response.end('<html>');
    expect((await gatehouse(['users', 'show', 'User-1'])).stderr).toContain('but not as Gatehouse does');
  });

  test('why shows each finding with its advice', async () => {
    json({
      data: [
        { finding: 'disabled', severity: 'blocks', text: 'The account is disabled.', advice: 'Enable it.' },
        { finding: 'factor', severity: 'info', text: 'There is a second factor.', advice: null },
      ],
    });
    expect((await gatehouse(['users', 'why', 'User-1'])).stdout).toBe(
      'blocks  The account is disabled.\n      Enable it.\ninfo  There is a second factor.\n',
    );
  });

  test.each([
    ['a deletion', ['users', 'delete', 'User-1', '--yes']],
    ['a new admin', ['operators', 'add', 'User-1', '--level', 'admin']],
  ])('%s that waits for approval says so', async (_, command) => {
    json({ approval_id: 'a-1' }, 202);
    expect((await gatehouse([...command, ...REASON])).stdout).toBe('another admin must approve this (a-1)\n');
  });

  test.each([
    [{ GATEHOUSE_URL: 'http://gatehouse.example' }, 'the key would be sent without TLS'],
    [{ GATEHOUSE_URL: 'gatehouse.example' }, 'GATEHOUSE_URL must be a URL'],
    [{ GATEHOUSE_KEY: '' }, 'GATEHOUSE_URL and GATEHOUSE_KEY need each other'],
    [{ GATEHOUSE_URL: '' }, 'GATEHOUSE_URL and GATEHOUSE_KEY need each other'],
  ])('%j is refused', async (env, message) => {
    const { code, stderr } = await gatehouse(['operators', 'list'], env);
    expect({ code, stderr }).toStrictEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain('gh_key');
  });
});
