import { ROLES } from '@gatehouse/shared/access/rbac';
import { startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { buildUserService } from '../../../services/user/app.ts';
import { createMailer } from '../../../services/user/mail.ts';
import { errorEnvelope, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { postForm, send } from '../../fixtures/http.ts';
import { freePorts } from '../../fixtures/launcher.ts';
import { mailedCode, testConfig } from '../../fixtures/services.ts';
import { malformed, missing, notFound, STRANGE_IDS } from '../chatbots/directory.ts';
import {
  atOnce,
  BAD_BODIES,
  BAD_QUERIES,
  type Organizations,
  type Person,
  page,
  startOrganizations,
  type Team,
  UUID,
} from './organization.ts';

const DAY = 86_400;

let all: Organizations;
let team: Team;
beforeAll(async () => {
  all = await startOrganizations();
  team = await all.team();
});
afterAll(() => all.stop());
/** A team for each test; where nothing is written the latest will do. */
const withNewTeams = () =>
  beforeEach(async () => {
    team = await all.team();
  });

let addresses = 0;
const newAddress = () => `grace${++addresses}@example.com`;
const invite = (email: unknown, role: unknown = 'Viewer', caller: Person = team.ada) =>
  caller.call('POST', `${team.place}/invitations`, { email, role });
const list = async (query = '') => outcome(await team.ada.call('GET', `${team.place}/invitations${query}`));
const inDays = (days: number) => new Date(all.clock.now() + days * DAY * 1000).toISOString();
const pending = (email: string, fields: object = {}) => ({
  invitation_id: UUID,
  email,
  role: 'Viewer',
  status: 'pending',
  granted_by: team.ada.user_id,
  granted_at: all.at(),
  expires_at: inDays(14),
  ...fields,
});
const accepted = (email: string, fields: object = {}) =>
  pending(email, { status: 'accepted', expires_at: null, ...fields });
const records = (email: string) => all.db.memberships.find({ email }).toArray();
const roleOf = async (user_id: string) =>
  (await all.db.memberships.findOne({ department_id: team.department_id, user_id }))?.role;

const signUp = (email: string) =>
  postForm(`${all.user}/v2/signup`, { email, password: 'secret', name: 'Grace' });
const verify = (email: string) =>
  postForm(`${all.user}/v2/verify-otp`, { email, otp: mailedCode(all.mailbox, email) });
/** Signs up and verifies. @returns the user_id. */
async function join(email: string): Promise<string> {
  expect((await signUp(email)).status).toBe(200);
  const { status, body } = await verify(email);
  expect(status).toBe(200);
  return body.user_id;
}
/** A user service that starts on the same database. */
async function restart() {
  const config = testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${all.mailbox.port}` });
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db: all.db, mailer, now: all.clock.now });
  await app.ready();
  await app.close();
  mailer.close();
}

const invitedText = (name = team.department.name, organization = 'Analytical Engines') =>
  `You are invited to "${name}" at "${organization}".\n\nSign up with this address at http://localhost:8000\nYou become a member when you verify your address. If you do not know who invited you, ignore this mail.\n`;
const memberText = (name = team.department.name, organization = 'Analytical Engines') =>
  `You are now a member of "${name}" at "${organization}".\n\nLog in at http://localhost:8000\n`;
const textsTo = (email: string) => all.mailsTo(email).map(({ content }) => content.text);

describe('POST …/invitations', () => {
  withNewTeams();

  test('to an address without account: 201, an invitation that waits, a mail', async () => {
    const email = newAddress();
    const answer = await invite(email, 'Editor');
    expect(outcome(answer)).toStrictEqual({ status: 201, body: pending(email, { role: 'Editor' }) });
    expect(await records(email)).toStrictEqual([
      {
        _id: expect.anything(),
        membership_id: answer.body.invitation_id,
        organization_id: team.organization_id,
        department_id: team.department_id,
        email,
        role: 'Editor',
        granted_by: team.ada.user_id,
        granted_at: all.at(),
        expires_at: new Date(inDays(14)),
      },
    ]);
    expect(textsTo(email)).toEqual([invitedText()]);
  });

  test('the person signs up, verifies, and sees the chatbots of the department', async () => {
    const chatbot = await all.chatbot(team.ada, team.department_id);
    const email = newAddress();
    await invite(email, 'Viewer', team.people.Admin);
    expect((await signUp(email)).status).toBe(200);
    expect((await list()).body.data).toHaveLength(1);
    const user_id: string = (await verify(email)).body.user_id;
    expect(await list()).toStrictEqual(page());
    const { body } = await postForm(`${all.login}/v2/login`, { email, password: 'secret' });
    const headers = { authorization: `Bearer ${body.token}` };
    const ask = async (path: string) => (await send(`${all.url}/api/v1${path}`, { headers })).body;
    expect((await ask('/chatbots')).data).toStrictEqual([chatbot]);
    expect((await ask('/organizations')).data).toStrictEqual([team.organization]);
    expect(await ask(`/organizations${team.place}/members/${user_id}`)).toStrictEqual({
      user_id,
      role: 'Viewer',
      email,
      granted_by: team.people.Admin.user_id,
      granted_at: all.at(),
    });
  });

  test('who has an account is a member at once, and the mail says so', async () => {
    const bob = await all.person();
    const email = bob.email.toLowerCase();
    expect(outcome(await invite(email, 'Editor'))).toStrictEqual({
      status: 201,
      body: accepted(email, { role: 'Editor' }),
    });
    expect(await roleOf(bob.user_id)).toBe('Editor');
    expect((await records(email))[0]).not.toHaveProperty('expires_at');
    expect(await list()).toStrictEqual(page());
    // To the address as the account has it.
    expect(textsTo(bob.email)).toEqual([memberText()]);
  });

  test('an account that has not verified its address is no member yet', async () => {
    const email = newAddress();
    await signUp(email);
    expect(outcome(await invite(email))).toStrictEqual({ status: 201, body: pending(email) });
    expect(textsTo(email)[0]).toBe(invitedText());
  });

  test('an old account without a user_id is told nothing else than it is, and joins with its id', async () => {
    const { email } = await all.person({ user_id: undefined });
    expect(outcome(await invite(email))).toStrictEqual({ status: 201, body: pending(email.toLowerCase()) });
    expect(textsTo(email)).toEqual([invitedText()]);
    await postForm(`${all.user}/v2/forgot-password`, { email });
    const { user_id } = (await verify(email)).body;
    expect(await roleOf(user_id)).toBe('Viewer');
  });

  test('one address in any spelling is one invitation, accepted by any spelling', async () => {
    const email = newAddress();
    const first = await invite(`  ${email.toUpperCase()} `);
    expect(outcome(first)).toStrictEqual({ status: 201, body: pending(email) });
    const second = await invite(email);
    expect(second.body).toStrictEqual(first.body);
    const user_id = await join(email.replace('grace', 'GraCe'));
    expect(await roleOf(user_id)).toBe('Viewer');
  });

  test('several departments are joined by one verification, each in the role given there', async () => {
    const email = newAddress();
    const sibling = await all.department(team.ada, team.organization_id);
    const other = await all.team();
    await invite(email, 'Editor');
    await team.ada.call('POST', `${sibling.place}/invitations`, { email, role: 'Analyst' });
    await other.ada.call('POST', `${other.place}/invitations`, { email, role: 'Owner' });
    const user_id = await join(email);
    const stored = await all.db.memberships.find({ user_id }).toArray();
    expect(Object.fromEntries(stored.map(({ department_id, role }) => [department_id, role]))).toEqual({
      [team.department_id]: 'Editor',
      [sibling.department_id]: 'Analyst',
      [other.department_id]: 'Owner',
    });
  });

  test('again: renews, with the new role and inviter, and mails again', async () => {
    const email = newAddress();
    const { invitation_id } = (await invite(email)).body;
    all.clock.advance(10 * DAY);
    const again = await invite(email, 'Editor', team.people.Admin);
    expect(outcome(again)).toStrictEqual({
      status: 201,
      body: pending(email, { invitation_id, role: 'Editor', granted_by: team.people.Admin.user_id }),
    });
    expect(textsTo(email)).toEqual([invitedText(), invitedText()]);
    all.clock.advance(13 * DAY);
    expect(await roleOf(await join(email))).toBe('Editor');
  });

  test.each(ROLES)('%s invites to no role above his own', async (own) => {
    const may = { Owner: ROLES, Admin: ROLES.slice(1), Editor: [], Viewer: [], Analyst: [] }[own];
    for (const role of ROLES) {
      const email = newAddress();
      const answer = await invite(email, role, team.people[own]);
      if ((may as readonly string[]).includes(role)) expect(answer.status, role).toBe(201);
      else {
        expect(outcome(answer), role).toStrictEqual(all.forbidden());
        expect(await records(email)).toEqual([]);
        expect(all.mailsTo(email)).toEqual([]);
      }
    }
  });

  test('an Admin neither lowers nor withdraws an invitation to be Owner', async () => {
    const email = newAddress();
    const { invitation_id } = (await invite(email, 'Owner')).body;
    const before = await records(email);
    const { Admin } = team.people;
    expect(outcome(await invite(email, 'Viewer', Admin))).toStrictEqual(all.forbidden());
    const withdrawn = await Admin.call('DELETE', `${team.place}/invitations/${invitation_id}`);
    expect(outcome(withdrawn)).toStrictEqual(all.forbidden());
    expect(await records(email)).toStrictEqual(before);
    expect(all.mailsTo(email)).toHaveLength(1);
  });

  const isMember = () => all.duplicate('Already a member');
  test('who is a member already is not invited, however he came', async () => {
    const invited = await all.person();
    await invite(invited.email);
    const added = await all.person();
    await all.join(team.ada, team.place, added, 'Viewer');
    const mails = all.mailbox.mails.length;
    const before = await team.stored();
    for (const { email } of [invited, added])
      for (const caller of [team.ada, team.people.Admin])
        expect(outcome(await invite(email, 'Editor', caller)), email).toStrictEqual(isMember());
    expect(await team.stored()).toStrictEqual(before);
    expect(all.mailbox.mails).toHaveLength(mails);
  });

  test('an Owner of the organization has his role already', async () => {
    const before = await team.stored();
    for (const caller of [team.ada, team.people.Admin])
      expect(outcome(await invite(team.ada.email, 'Viewer', caller))).toStrictEqual(
        all.forbidden('An Owner of the organization is Owner in every department'),
      );
    expect(await team.stored()).toStrictEqual(before);
    expect(all.mailsTo(team.ada.email)).toEqual([]);
  });

  test('fields that it does not know are ignored', async () => {
    const email = newAddress();
    const claims = { user_id: team.ada.user_id, status: 'accepted', expires_at: null, department_id: 'x' };
    const answer = await team.ada.call('POST', `${team.place}/invitations`, {
      email,
      role: 'Viewer',
      ...claims,
    });
    expect(outcome(answer)).toStrictEqual({ status: 201, body: pending(email) });
  });
});

describe('the mail', () => {
  const HEADERS = ['from', 'to', 'subject', 'message-id', 'content-transfer-encoding', 'date'];

  test.each([
    '<script src=//evil.example></script><a href="https://evil.example">',
    'Bcc: eve@example.com',
    '=?utf-8?Q?=0D=0ABcc:_eve@example.com?=',
    '%0d%0aBcc: eve@example.com',
    '\\r\\nBcc: eve@example.com',
    '🤖 Größe "quoted" \\',
    '.',
    'x'.repeat(200),
  ])('names are in the text alone: %s', async (name) => {
    const { ada, organization_id } = await all.team({ name });
    const department = await all.department(ada, organization_id, `${name.slice(0, 199)}!`);
    const email = newAddress();
    const answer = await ada.call('POST', `${department.place}/invitations`, { email, role: 'Viewer' });
    expect(answer.status).toBe(201);
    const [mail, ...others] = all.mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.recipients).toEqual([email]);
    expect(mail?.content.text).toBe(invitedText(department.record.name, name));
    expect(mail?.content.html).toBeUndefined();
    expect(mail?.content.attachments).toEqual([]);
    const head = mail?.content.headerLines ?? [];
    const mime = ['mime-version', 'content-type'];
    expect(head.map(({ key }) => key).sort()).toEqual([...HEADERS, ...mime].sort());
    const lines = Object.fromEntries(head.map(({ key, line }) => [key, line]));
    expect(lines).toMatchObject({
      to: `To: ${email}`,
      subject: 'Subject: You are invited to a team',
      'content-type': expect.stringMatching(/^Content-Type: text\/plain; charset=utf-8$/),
    });
    for (const line of Object.values(lines)) expect(line).not.toMatch(/eve@|evil|xxxx|Größe|🤖/);
  });
});

describe('two things at once', () => {
  withNewTeams();

  test('two invitations of one address are one', async () => {
    for (let round = 0; round < 6; round += 1) {
      const email = newAddress();
      const answers = await atOnce(2, (turn) => invite(email, turn ? 'Editor' : 'Viewer'));
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      const stored = await records(email);
      expect(stored).toHaveLength(1);
      for (const { body } of answers) expect(body.invitation_id).toBe(stored[0]?.membership_id);
    }
  });

  test('two invitations of one account holder make one member', async () => {
    for (let round = 0; round < 6; round += 1) {
      const bob = await all.person();
      const caller = round % 2 ? team.ada : team.people.Admin;
      const answers = await atOnce(3, () => invite(bob.email, 'Viewer', caller));
      // One that came after he had joined is told so; nobody is forbidden anything.
      for (const answer of answers.filter(({ status }) => status !== 201))
        expect(outcome(answer)).toStrictEqual(all.duplicate('Already a member'));
      expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0);
      expect(await all.db.memberships.find({ user_id: bob.user_id }).toArray()).toHaveLength(1);
      expect(await records(bob.email.toLowerCase())).toHaveLength(1);
      all.clock.advance(600);
    }
  });

  test('an invitation and a PUT of one account holder make one member', async () => {
    for (let round = 0; round < 6; round += 1) {
      const bob = await all.person();
      const [invited, added] = await Promise.all([
        invite(bob.email),
        team.ada.call('PUT', `${team.place}/members/${bob.user_id}`, { role: 'Viewer' }),
      ]);
      expect(added.status).toBe(200);
      expect([201, 409]).toContain(invited.status);
      expect(await all.db.memberships.countDocuments({ user_id: bob.user_id })).toBe(1);
      expect(await list()).toStrictEqual(page());
    }
  });

  test('who verifies while he is invited is a member in the end', async () => {
    for (let round = 0; round < 12; round += 1) {
      const email = newAddress();
      await signUp(email);
      const verifying = () => verify(email);
      const inviting = () => invite(email);
      const answers = await Promise.all(
        (round % 2 ? [verifying, inviting] : [inviting, verifying]).map((start) => start()),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
      const user_id = answers.find(({ status }) => status === 200)?.body.user_id;
      expect(await records(email)).toMatchObject([{ user_id, role: 'Viewer' }]);
      all.clock.advance(600);
    }
  });

  test('verifying many times at once accepts once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const email = newAddress();
      await invite(email, 'Editor');
      await signUp(email);
      const answers = await atOnce(6, () => verify(email));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(await records(email)).toMatchObject([{ user_id: answers[0]?.body.user_id, role: 'Editor' }]);
    }
  });

  test('who verifies while he is uninvited is a member, or the invitation was withdrawn', async () => {
    for (let round = 0; round < 6; round += 1) {
      const email = newAddress();
      const { invitation_id } = (await invite(email)).body;
      await signUp(email);
      const [verified, withdrawn] = await Promise.all([
        verify(email),
        team.ada.call('DELETE', `${team.place}/invitations/${invitation_id}`),
      ]);
      expect(verified.status).toBe(200);
      expect([200, 404]).toContain(withdrawn.status);
      expect(await roleOf(verified.body.user_id)).toBe(withdrawn.status === 200 ? undefined : 'Viewer');
    }
  });
});

describe('what a kill cuts off', () => {
  withNewTeams();

  test('an invitation that waits for an active account is made up at a start', async () => {
    const bob = await all.person();
    const unverified = newAddress();
    await signUp(unverified);
    const sibling = await all.department(team.ada, team.organization_id);
    const late = await all.person();
    const member = await all.person();
    await all.join(team.ada, team.place, member, 'Editor');
    await all.invited(team, { email: bob.email.toLowerCase(), role: 'Analyst' });
    await all.invited({ ...team, ...sibling }, { email: bob.email.toLowerCase(), role: 'Owner' });
    await all.invited(team, { email: unverified });
    await all.invited(team, { email: late.email.toLowerCase(), days: 0 });
    await all.invited(team, { email: member.email.toLowerCase(), role: 'Owner' });
    const mails = all.mailbox.mails.length;
    await restart();
    await restart();
    expect(all.mailbox.mails).toHaveLength(mails);
    expect(await roleOf(bob.user_id)).toBe('Analyst');
    expect((await bob.call('GET', `${sibling.place}/billing`)).status).toBe(200);
    // By another way he had become one already: the role that he has stays.
    expect(await roleOf(member.user_id)).toBe('Editor');
    expect(await records(member.email.toLowerCase())).toEqual([]);
    expect(await roleOf(late.user_id)).toBeUndefined();
    expect((await list()).body.data.map(({ email }: { email: string }) => email)).toEqual([unverified]);
  });

  // A start waits ten seconds for what it makes up, and one person can have 16,800 invitations wait.
  test('a start asks for the accounts of many that wait by one question', async () => {
    const waiting = Array.from({ length: 60 }, newAddress);
    const bob = await all.person();
    for (const email of [...waiting, bob.email.toLowerCase()]) await all.invited(team, { email });
    const questions = [vi.spyOn(all.db.users, 'findOne'), vi.spyOn(all.db.users, 'find')];
    await restart();
    expect(questions.flatMap(({ mock }) => mock.calls).length).toBeLessThan(5);
    for (const question of questions) question.mockRestore();
    expect(await roleOf(bob.user_id)).toBe('Viewer');
    expect((await list()).body.pagination.total_items).toBe(60);
  });

  test('or at the next verification', async () => {
    const email = newAddress();
    const user_id = await join(email);
    await all.invited(team, { email });
    expect(await roleOf(user_id)).toBeUndefined();
    await verify(email);
    expect(await roleOf(user_id)).toBe('Viewer');
  });
});

describe('after fourteen days', () => {
  withNewTeams();

  test('an invitation is neither accepted nor listed; inviting again makes it stand', async () => {
    const email = newAddress();
    await invite(email);
    all.clock.advance(14 * DAY - 1);
    expect((await list()).body.pagination.total_items).toBe(1);
    all.clock.advance(1);
    expect(await list()).toStrictEqual(page());
    const user_id = await join(email);
    expect(await roleOf(user_id)).toBeUndefined();
    await restart();
    expect(await roleOf(user_id)).toBeUndefined();
    expect(outcome(await invite(email))).toStrictEqual({ status: 201, body: accepted(email) });
    expect(await roleOf(user_id)).toBe('Viewer');
  });

  test('its last second is in time', async () => {
    const email = newAddress();
    await invite(email);
    all.clock.advance(14 * DAY - 1);
    expect(await roleOf(await join(email))).toBe('Viewer');
  });

  test('one that an Admin could not have touched is in nobody’s way any more', async () => {
    const email = newAddress();
    await invite(email, 'Owner');
    all.clock.advance(14 * DAY);
    const { Admin } = team.people;
    expect(outcome(await invite(email, 'Viewer', Admin))).toStrictEqual({
      status: 201,
      body: pending(email, { granted_by: Admin.user_id }),
    });
    expect(await roleOf(await join(email))).toBe('Viewer');
  });
});

describe('GET …/invitations', () => {
  withNewTeams();

  test('lists those that wait, here and nowhere else', async () => {
    const { ada, people, organization_id } = team;
    expect(await list()).toStrictEqual(page());
    const sibling = await all.department(ada, organization_id);
    await all.invited({ ...team, ...sibling }, { email: 'zoe.sibling@example.com' });
    await all.invited(await all.team(), { email: 'zoe.other@example.com' });
    await invite('zoe.a@example.com', 'Editor');
    const first = pending('zoe.a@example.com', { role: 'Editor' });
    all.clock.advance(1);
    await invite('ZOE.b@example.com', 'Viewer', people.Admin);
    const second = pending('zoe.b@example.com', { granted_by: people.Admin.user_id });
    expect(await list()).toStrictEqual(page(second, first));
    expect(await list('?sort_by=email&order=asc')).toStrictEqual(page(first, second));
    expect(await list('?sort_by=role')).toStrictEqual(page(second, first));
    expect(await list('?role=Editor')).toStrictEqual(page(first));
    expect(await list('?search=ZOE.B')).toStrictEqual(page(second));
    expect(await list('?search=zoe.')).toStrictEqual(page(second, first));
    expect(await list('?search=other')).toStrictEqual(page());
    expect(await list('?search=.%2B')).toStrictEqual(page());
    expect((await list('?limit=1&page=2')).body).toStrictEqual({
      data: [first],
      pagination: { page: 2, limit: 1, total_items: 2, total_pages: 2, has_next: false, has_prev: true },
    });
  });
});

describe('DELETE …/invitations/{invitation_id}', () => {
  withNewTeams();

  const withdraw = async (id: string, caller: Person = team.ada) =>
    outcome(await caller.call('DELETE', `${team.place}/invitations/${id}`));

  test('it stands no longer', async () => {
    const email = newAddress();
    const { invitation_id } = (await invite(email)).body;
    expect(await withdraw(invitation_id, team.people.Admin)).toStrictEqual({
      status: 200,
      body: { message: 'Invitation withdrawn' },
    });
    expect(await withdraw(invitation_id)).toStrictEqual(notFound(all.clock));
    expect(await list()).toStrictEqual(page());
    expect(await roleOf(await join(email))).toBeUndefined();
  });

  test('one that was accepted, of another department, or never made is not found', async () => {
    const sibling = await all.department(team.ada, team.organization_id);
    const bob = await all.person();
    const ids = [
      (await invite(bob.email)).body.invitation_id,
      await all.invited({ ...team, ...sibling }, { email: newAddress() }),
      await all.invited(await all.team(), { email: newAddress() }),
      ...STRANGE_IDS,
    ];
    const before = await all.db.memberships.find().toArray();
    for (const id of ids) expect(await withdraw(id), id.slice(0, 40)).toStrictEqual(notFound(all.clock));
    expect(await all.db.memberships.find().toArray()).toStrictEqual(before);
  });
});

describe('fifty an hour', () => {
  withNewTeams();

  const tooMany = (seconds: number) => rateLimited(50, seconds, all.clock.now());

  test('the 51st is 429 until an hour after the first, and another may still', async () => {
    const { ada, people } = team;
    expect((await invite(newAddress())).status).toBe(201);
    all.clock.advance(60);
    const more = { $each: Array(46).fill(all.clock.seconds()) };
    await all.db.users.updateOne({ user_id: ada.user_id }, { $push: { invitation_times: more } });
    for (let number = 48; number <= 50; number += 1)
      expect((await invite(newAddress())).status, `number ${number}`).toBe(201);
    const email = newAddress();
    const refused = await invite(email);
    expect(outcome(refused)).toStrictEqual(tooMany(3540));
    expect(refused.headers.get('retry-after')).toBe('3540');
    expect(await records(email)).toEqual([]);
    expect(all.mailsTo(email)).toEqual([]);
    // Whatever the department: it is the person's.
    const sibling = await all.department(ada, team.organization_id);
    const elsewhere = await ada.call('POST', `${sibling.place}/invitations`, { email, role: 'Viewer' });
    expect(outcome(elsewhere)).toStrictEqual(tooMany(3540));
    expect((await invite(email, 'Viewer', people.Admin)).status).toBe(201);
    all.clock.advance(3539);
    expect(outcome(await invite(newAddress()))).toStrictEqual(tooMany(1));
    all.clock.advance(1);
    expect((await invite(newAddress())).status).toBe(201);
    expect(outcome(await invite(newAddress()))).toStrictEqual(tooMany(60));
  });

  test('at once no more get through, and what is refused costs nothing', async () => {
    const { Admin } = team.people;
    const times = Array(45).fill(all.clock.seconds());
    await all.db.users.updateOne({ user_id: Admin.user_id }, { $set: { invitation_times: times } });
    for (const [email, role] of [
      [newAddress(), 'Owner'],
      ['grace', 'Viewer'],
      [newAddress(), 'viewer'],
    ])
      expect((await invite(email, role, Admin)).status).toBeGreaterThanOrEqual(400);
    const answers = await atOnce(12, () => invite(newAddress(), 'Viewer', Admin));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(201),
      ...Array(7).fill(429),
    ]);
  });
});

test('while the mail server is down it is 503, and the next attempt works', async () => {
  const [port] = (await freePorts(1)) as [number];
  const down = await startOrganizations({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
  const { ada, place } = await down.team();
  const bob = await down.person();
  const post = (email: string) => ada.call('POST', `${place}/invitations`, { email, role: 'Viewer' });
  const unavailable = {
    status: 503,
    body: errorEnvelope('SERVICE_UNAVAILABLE', 'Service unavailable', {
      details: 'The invitation could not be mailed, please try again',
      at: down.clock.now(),
    }),
  };
  for (const email of ['grace@example.com', bob.email])
    expect(outcome(await post(email))).toStrictEqual(unavailable);
  const mailbox = await startMailbox({ port });
  for (const [email, status] of [
    ['grace@example.com', 'pending'],
    [bob.email, 'accepted'],
  ] as const) {
    const answer = await post(email);
    expect([answer.status, answer.body.status]).toEqual([201, status]);
    expect(mailbox.mails.map(({ recipients }) => recipients)).toContainEqual([email]);
  }
  expect(mailbox.mails).toHaveLength(2);
  expect((await bob.call('GET', place)).status).toBe(200);
  await down.stop();
  await mailbox.close();
});

describe('what POST refuses', () => {
  const ADDRESS = 'email must be an e-mail address';
  test.each([
    ['', ADDRESS],
    ['grace', ADDRESS],
    ['@example.com', ADDRESS],
    ['grace@', ADDRESS],
    ['grace@example..com', ADDRESS],
    ['a@example.com, b@example.com', ADDRESS],
    ['a@example.com;b@example.com', ADDRESS],
    ['Grace <grace@example.com>', ADDRESS],
    ['grace@example.com\r\nBcc: eve@example.com', ADDRESS],
    ['grace@example.com\nRCPT TO:<eve@example.com>', ADDRESS],
    ['grace\u0000@example.com', ADDRESS],
    ['grace@example.com> NOTIFY=NEVER', ADDRESS],
    ['"grace hopper"@example.com', ADDRESS],
    ['grace@[127.0.0.1]', ADDRESS],
    ['grace@exämple.com', ADDRESS],
    ['gra\u212ae@example.com', ADDRESS],
    [`${'x'.repeat(65)}@example.com`, ADDRESS],
    [`grace@${'x'.repeat(250)}.com`, ADDRESS],
    [null, ADDRESS],
    [7, ADDRESS],
    [['grace@example.com'], ADDRESS],
    [{ $gt: '' }, ADDRESS],
  ])('e-mail %j is refused; nothing is written or mailed', async (email, details) => {
    const before = await team.stored();
    const mails = all.mailbox.mails.length;
    expect(outcome(await invite(email))).toStrictEqual(malformed(details, all.clock));
    expect(await team.stored()).toStrictEqual(before);
    expect(all.mailbox.mails).toHaveLength(mails);
  });

  test('what is no body of an invitation is refused; nothing is written', async () => {
    const before = await team.stored();
    const post = async (body: unknown) =>
      outcome(await team.ada.call('POST', `${team.place}/invitations`, body));
    const email = newAddress();
    expect(await post({ email })).toStrictEqual(missing('role is required', all.clock));
    expect(await post({ role: 'Viewer' })).toStrictEqual(missing('email is required', all.clock));
    expect(await post('')).toStrictEqual(missing('body is required', all.clock));
    for (const role of ['owner', '', null, ['Viewer'], { $ne: 1 }])
      expect(await post({ email, role })).toStrictEqual(
        malformed('role must be one of Owner, Admin, Editor, Viewer, Analyst', all.clock),
      );
    for (const [what, body] of BAD_BODIES)
      expect(await post(body), what).toStrictEqual(malformed(expect.any(String), all.clock));
    expect(await team.stored()).toStrictEqual(before);
  });
});

describe('what GET …/invitations refuses', () => {
  test.each([
    ...BAD_QUERIES,
    ['status=pending', 'querystring holds an unknown parameter'],
    ['sort_by=expires_at', 'sort_by must be one of granted_at, email, role'],
    ['role=owner', 'role must be one of Owner, Admin, Editor, Viewer, Analyst'],
  ])('?%s is refused', async (query, details) => {
    expect(await list(`?${query}`)).toStrictEqual(malformed(details, all.clock));
  });
});
