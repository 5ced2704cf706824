import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../services/user/database.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { newMember } from '../fixtures/members.ts';
import { runGatehouse } from './run-gatehouse.ts';

const REASON = ['--reason', 'as in the repository'];
const AT = '2026-01-15T09:30:00.000Z';

let fresh: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let folder: string;
beforeAll(async () => {
  fresh = await freshDatabase(COLLECTIONS);
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-apply-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await fresh.drop();
});
beforeEach(async () => {
  const { users, operators, organizations, departments, auditEvents } = fresh.db;
  for (const each of [users, operators, organizations, departments, auditEvents]) await each.deleteMany({});
});

/** Applies this text. `path` is the file that the messages name. */
async function apply(text: string, ...options: string[]) {
  const path = join(folder, 'config.yaml');
  await writeFile(path, text);
  const env = { MONGODB_URI: fresh.uri };
  return { path, ...(await runGatehouse(['apply', path, ...options], env)) };
}

const operators = () => fresh.db.operators.find({}, { projection: { level: 1 } }).toArray();

async function organization(organization_id: string, name: string, owner: string, fields = {}) {
  const owners = [{ user_id: owner, granted_by: owner, granted_at: AT }];
  await fresh.db.organizations.insertOne({ organization_id, name, owners, created_at: AT, ...fields });
}

async function department(organization_id: string, department_id: string, name: string) {
  const billing = {
    subscription_plan: 'Free',
    payment_status: 'pending',
    subscription_date: '2026-01-15',
    updated_at: AT,
  };
  const record = { organization_id, department_id, name, name_key: name.toLowerCase(), created_at: AT };
  await fresh.db.departments.insertOne({ ...record, billing } as never);
}

describe('npx gatehouse apply', () => {
  test('plans, changes through the audited operations, and then finds nothing to change', async () => {
    const [ada, grace] = [await newMember(fresh.db), await newMember(fresh.db)];
    await organization('org-1', 'Analytical Engines', ada.user_id as string);
    await department('org-1', 'dep-1', 'Support');
    await department('org-1', 'dep-2', 'Sales');
    await fresh.db.operators.insertOne({
      _id: grace.user_id as string,
      level: 'admin',
      added_at: new Date(AT),
      added_by: 'command line',
    });
    const file = `
operators:
  - { email: ${grace.email}, level: support }
  - { email: ${ada.email.toUpperCase()}, level: admin }
organizations:
  - name: Analytical Engines
    plan: Starter
    quotas: { members: 500 }
    owners: [${ada.email}]
    departments:
      - { name: Sales, plan: Business }
`;
    const plan = [
      `+ operator ${ada.email.toUpperCase()}: admin`,
      `~ operator ${grace.email}: admin → support`,
      '~ organization Analytical Engines: quota of members of the plan → 500',
      '~ department Sales of Analytical Engines: plan Free, pending → Business, paid',
      '~ department Support of Analytical Engines: plan Free, pending → Starter, paid',
    ];
    const lines = (last: string) => `${[...plan, last].join('\n')}\n`;
    const planned = await apply(file, '--dry-run');
    expect(planned).toMatchObject({ code: 0, stdout: lines('5 to change'), stderr: '' });
    const unasked = await apply(file, ...REASON);
    expect(unasked).toMatchObject({ code: 2, stdout: `${plan.join('\n')}\n` });
    expect(unasked.stderr).toContain('Nobody can be asked here: add --yes');
    expect(await operators()).toStrictEqual([{ _id: grace.user_id, level: 'admin' }]);
    expect(await fresh.db.auditEvents.countDocuments()).toBe(0);

    const applied = await apply(file, '--yes', ...REASON);
    expect(applied).toMatchObject({ code: 0, stdout: lines('5 of 5 changes made'), stderr: '' });
    const levels = new Map((await operators()).map(({ _id, level }) => [_id, level]));
    expect(levels.get(ada.user_id as string)).toBe('admin');
    expect(levels.get(grace.user_id as string)).toBe('support');
    expect(await fresh.db.organizations.findOne({ organization_id: 'org-1' })).toMatchObject({
      quotas: { members: 500 },
    });
    const events = await fresh.db.auditEvents.find().toArray();
    expect(events.map(({ action, after }) => [action, after?.reason])).toStrictEqual(
      ['operator_set', 'operator_set', 'organization_quotas', 'organization_plan', 'organization_plan'].map(
        (action) => [`admin.${action}`, 'as in the repository'],
      ),
    );
    const again = await apply(file, ...REASON);
    expect(again).toMatchObject({ code: 0, stdout: 'nothing to change\n', stderr: '' });
  });

  test('leaves to people what takes their consent, and gives an Owner only where none can act', async () => {
    const ada = await newMember(fresh.db);
    const gone = await newMember(fresh.db, { account_status: 'disabled' });
    await organization('org-1', 'Engines', ada.user_id as string);
    await organization('org-2', 'Orphan', gone.user_id as string);
    await organization('org-3', 'Twin', ada.user_id as string);
    await organization('org-4', 'Twin', ada.user_id as string);
    await organization('org-5', 'Closed', ada.user_id as string, { archived_at: AT, deletes_at: AT });
    const file = `
operators: [{ email: nobody@example.com, level: support }]
organizations:
  - { name: Engines, owners: [grace@example.com], departments: [{ name: Sales, plan: Free }] }
  - { name: Orphan, owners: [${ada.email}, grace@example.com] }
  - { name: Twin }
  - { name: Closed }
  - { name: New, owners: [grace@example.com] }
  - { name: Renamed, organization_id: org-3 }
  - { name: Unknown, organization_id: org-9 }
`;
    const { code, stdout } = await apply(file, '--yes', '--json', ...REASON);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toStrictEqual({
      dry_run: false,
      changes: [
        {
          change: '+',
          what: `Owner ${ada.email.toLowerCase()} of Orphan, where no Owner can act`,
          outcome: 'done',
        },
      ],
      manual: [
        'nobody@example.com must sign up before they can be an operator',
        'the department Sales must be created by an Owner of Engines',
        'an Owner of Engines must offer ownership to grace@example.com, who must accept it',
        'an Owner of Orphan must offer ownership to grace@example.com, who must accept it',
        '2 organizations have the name Twin; add the organization_id of one: org-3, org-4',
        'the organization Closed is archived; one of its Owners, or an operator in the console, can restore it',
        'the organization New must be created by grace@example.com, who becomes its first Owner',
        'the organization Renamed is in the file twice, by its name and by its id; remove one',
        'no organization has the id org-9; remove it, or correct it',
      ],
    });
    expect(await fresh.db.organizations.countDocuments()).toBe(5);
  });

  test('removes nothing without --prune, and never people; a refusal keeps nothing else from being done', async () => {
    const [ada, grace] = [await newMember(fresh.db), await newMember(fresh.db)];
    const operator = { added_at: new Date(AT), added_by: 'command line' };
    await fresh.db.operators.insertMany([
      { _id: ada.user_id as string, level: 'admin', ...operator },
      { _id: grace.user_id as string, level: 'support', ...operator },
    ]);
    await organization('org-1', 'Engines', ada.user_id as string);
    await organization('org-2', 'Former', ada.user_id as string);
    const file = 'operators: []\norganizations: [{ name: Engines }]\n';
    expect(await apply(file, ...REASON)).toMatchObject({ code: 0, stdout: 'nothing to change\n' });
    expect(await apply('', '--prune', ...REASON)).toMatchObject({ code: 0, stdout: 'nothing to change\n' });

    const pruned = await apply(file, '--prune', '--yes', ...REASON);
    expect(pruned.code).toBe(1);
    expect(pruned.stdout).toContain('- organization Former (org-2): archived\n');
    expect(pruned.stdout).toContain(`operator ${ada.user_id}: admin: Please make another operator an admin`);
    expect(pruned.stdout).toContain('2 of 3 changes made\n');
    expect(await operators()).toStrictEqual([{ _id: ada.user_id, level: 'admin' }]);
    const archived = await fresh.db.organizations.distinct('name', { archived_at: { $exists: true } });
    expect(archived).toStrictEqual(['Former']);
    expect(await fresh.db.users.countDocuments()).toBe(2);
  });

  test('names the line and the field of each fault, and changes nothing', async () => {
    const { code, stdout, stderr, path } = await apply(
      `operators:
  - email: ada@example.com
    level: root
  - level: admin
  - { email: grace@example.com, level: admin }
  - { email: GRACE@example.com, level: support, name: Grace }
organizations:
  - name: Engines
    quotas:
      members: 0
    people: []
people: []
`,
      ...REASON,
    );
    expect({ code, stdout }).toStrictEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n').slice(0, 6)).toStrictEqual([
      `gatehouse: ${path}:3: operators[0].level must be one of support, admin`,
      `${path}:4: operators[1].email is required`,
      `${path}:6: operators[3].name is unknown`,
      `${path}:10: organizations[0].quotas.members must be an integer from 1 to 1000000, or null`,
      `${path}:11: organizations[0].people is unknown`,
      `${path}:12: people is unknown`,
    ]);
  });

  test.each([
    [
      'operators: [{ email: a@example.com, level: admin }, { email: A@example.com, level: admin }]',
      '1: operators[1].email is in the list twice',
    ],
    ['operators:\n  - email: "a', '2: '],
    ['operators: [', '1: '],
    ['a: 1\na: 2', '2: Map keys must be unique'],
    ['- 1', '1: the file must be a map of fields'],
    ['operators: 1', '1: operators must be a list'],
    ['operators: *none', ' Unresolved alias'],
    ['organizations: [{ name: "https://example.com" }]', '1: organizations[0].name must not contain a link'],
  ])('refuses %j', async (text, fault) => {
    const { code, stderr, path } = await apply(text, '--dry-run');
    expect({ code, stderr }).toStrictEqual({ code: 2, stderr: expect.stringContaining(`${path}:${fault}`) });
  });

  test.each([
    [[], 'name one file'],
    [['a', 'b'], 'name one file'],
    [['config.yaml'], '--reason must say why'],
  ])('apply %j is wrong usage', async (args, message) => {
    const { code, stderr } = await runGatehouse(['apply', ...args], { MONGODB_URI: fresh.uri });
    expect({ code, stderr }).toStrictEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
