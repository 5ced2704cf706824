import { randomUUID } from 'node:crypto';
import { ROLES } from '@gatehouse/shared/access/rbac';
import { connect } from '@gatehouse/shared/data/connect';
import { startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { describe, expect, test, vi } from 'vitest';
import { buildUserService } from '../../../services/user/app.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { completeActivations } from '../../../services/user/organizations/invitations/accept-verified.ts';
import { errorEnvelope, outcome, rateLimited } from '../../fixtures/envelope.ts';
import { postForm, send } from '../../fixtures/http.ts';
import { freePorts } from '../../fixtures/launcher.ts';
import { rounds } from '../../fixtures/property.ts';
import { mailedCode, testConfig } from '../../fixtures/services.ts';
import { duplicate, forbidden, malformed, missing, notFound, STRANGE_IDS } from '../access/failures.ts';
import {
  BAD_BODIES,
  BAD_QUERIES,
  concurrently,
  onePage,
  type Person,
  startOrganizationService,
  type Team,
  UUID,
} from './organization-service.ts';
import { service, team, withOrganizations, withTeam, withTeams } from './with-organizations.ts';

const DAY = 86_400;

withOrganizations();
withTeam();

let addresses = 0;
const newAddress = () => `grace${++addresses}@example.com`;
const invite = (email: unknown, role: unknown = 'Viewer', caller: Person = team.ada) =>
  caller.call('POST', `${team.place}/invitations`, { email, role });
const list = async (query = '') => outcome(await team.ada.call('GET', `${team.place}/invitations${query}`));
const inDays = (days: number) => new Date(service.clock.now() + days * DAY * 1000).toISOString();
const pending = (email: string, fields: object = {}) => ({
  invitation_id: UUID,
  email,
  user_id: null,
  role: 'Viewer',
  status: 'pending',
  granted_by: team.ada.user_id,
  granted_at: service.at(),
  expires_at: inDays(14),
  ...fields,
});
const records = (email: string) => service.db.memberships.find({ email }).toArray();
const roleOf = async (user_id: string) =>
  (await service.db.memberships.findOne({ department_id: team.department_id, user_id }))?.role;

const signUp = (email: string) =>
  postForm(`${service.user}/v2/signup`, { email, password: 'secret', name: 'Grace' });
const verify = (email: string) =>
  postForm(`${service.user}/v2/verify-otp`, { email, otp: mailedCode(service.mailbox, email) });
/** Signs up and verifies. @returns the user_id. */
async function join(email: string): Promise<string> {
  expect((await signUp(email)).status).toBe(200);
  const { status, body } = await verify(email);
  expect(status).toBe(200);
  return body.user_id;
}
/** Starts and stops another user service on the same database. */
async function restart() {
  const config = testConfig('user', { SMTP_URL: `smtp://127.0.0.1:${service.mailbox.port}` });
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db: service.db, mailer, now: service.clock.now });
  await app.ready();
  await app.close();
  mailer.close();
}

const UNEXPECTED = 'If you do not know who invited you, ignore this mail.\n\n-- \nGatehouse\n';
/** The mail to an address without an active account. */
const invitedText = (
  email: string,
  invitation_id: string,
  name = team.department.name,
  organization = 'Analytical Engines',
) =>
  `You are invited to "${name}" at "${organization}".\n\nSign up with this address at http://localhost:8000/invitation#invitation_id=${invitation_id}&email=${encodeURIComponent(email)}\nYou become a member when you verify your address. ${UNEXPECTED}`;
/** The mail to the holder of an active account. */
const askedText = (invitation_id: string, name = team.department.name) =>
  `You are invited to "${name}" at "Analytical Engines".\n\nLog in to accept or decline at http://localhost:8000/invitation#invitation_id=${invitation_id}\nUntil you accept, nobody there learns anything about you. ${UNEXPECTED}`;
/** What a reader of an HTML mail sees: its tags dropped, its character references resolved. */
const visibleText = (html: string) =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"' })[name as string] ?? "'",
    );
const textsTo = (email: string) => service.mailsTo(email).map(({ content }) => content.text);

describe('POST …/invitations', () => {
  withTeams();

  test('answers 201, stores a pending invitation and mails it, for an address without account', async () => {
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
        granted_at: service.at(),
        valid_until: new Date(inDays(14)),
        expires_at: new Date(inDays(44)),
      },
    ]);
    expect(textsTo(email)).toEqual([invitedText(email, answer.body.invitation_id)]);
  });

  test('an invitee who signs up and verifies sees the chatbots of the department', async () => {
    const chatbot = await service.newChatbot(team.ada, team.department_id);
    const email = newAddress();
    await invite(email, 'Viewer', team.people.Admin);
    expect((await signUp(email)).status).toBe(200);
    expect((await list()).body.data).toHaveLength(1);
    const user_id: string = (await verify(email)).body.user_id;
    expect(await list()).toStrictEqual(onePage());
    const { body } = await postForm(`${service.login}/v2/login`, { email, password: 'secret' });
    const headers = { authorization: `Bearer ${body.token}` };
    const ask = async (path: string) => (await send(`${service.url}/api/v1${path}`, { headers })).body;
    expect((await ask('/chatbots')).data).toStrictEqual([chatbot]);
    expect((await ask('/organizations')).data).toStrictEqual([team.organization]);
    expect(await ask(`/organizations${team.place}/members/${user_id}`)).toStrictEqual({
      user_id,
      name: 'Grace',
      role: 'Viewer',
      email,
      granted_by: team.people.Admin.user_id,
      granted_at: service.at(),
      chatbot_roles: [],
      chatbot_roles_total: 0,
    });
  });

  test('asks the holder of an active account, and gives them nothing until they accept', async () => {
    const bob = await service.newPerson();
    const email = bob.email.toLowerCase();
    const answer = await invite(email, 'Editor');
    expect(outcome(answer)).toStrictEqual({ status: 201, body: pending(email, { role: 'Editor' }) });
    expect(await roleOf(bob.user_id)).toBeUndefined();
    expect((await bob.call('GET', team.place)).status).toBe(404);
    expect(await list()).toStrictEqual(onePage(pending(email, { role: 'Editor' })));
    // Mailed to the spelling of the account.
    expect(textsTo(bob.email)).toEqual([askedText(answer.body.invitation_id)]);
  });

  test('leaves an invitation of an unverified account pending', async () => {
    const email = newAddress();
    await signUp(email);
    const answer = await invite(email);
    expect(outcome(answer)).toStrictEqual({ status: 201, body: pending(email) });
    expect(textsTo(email)[0]).toBe(invitedText(email, answer.body.invitation_id));
  });

  test('leaves an invitation of an active account without a user_id pending, also when it gets one', async () => {
    const { email } = await service.newPerson({ user_id: undefined });
    const answer = await invite(email);
    expect(outcome(answer)).toStrictEqual({ status: 201, body: pending(email.toLowerCase()) });
    expect(textsTo(email)).toEqual([invitedText(email, answer.body.invitation_id)]);
    await postForm(`${service.user}/v2/forgot-password`, { email });
    const { user_id } = (await verify(email)).body;
    expect(await roleOf(user_id)).toBeUndefined();
    expect((await list()).body.pagination.total_items).toBe(1);
  });

  test('ignores the case of an address', async () => {
    const email = newAddress();
    const first = await invite(`  ${email.toUpperCase()} `);
    expect(outcome(first)).toStrictEqual({ status: 201, body: pending(email) });
    const second = await invite(email);
    expect(second.body).toStrictEqual(first.body);
    const user_id = await join(email.replace('grace', 'GraCe'));
    expect(await roleOf(user_id)).toBe('Viewer');
  });

  test('one verification accepts the invitations of several departments', async () => {
    const email = newAddress();
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    const other = await service.newTeam();
    await invite(email, 'Editor');
    await team.ada.call('POST', `${sibling.place}/invitations`, { email, role: 'Analyst' });
    await other.ada.call('POST', `${other.place}/invitations`, { email, role: 'Owner' });
    const user_id = await join(email);
    const stored = await service.db.memberships.find({ user_id }).toArray();
    expect(Object.fromEntries(stored.map(({ department_id, role }) => [department_id, role]))).toEqual({
      [team.department_id]: 'Editor',
      [sibling.department_id]: 'Analyst',
      [other.department_id]: 'Owner',
    });
  });

  test.each(['department', 'organization'])(
    'a verification accepts no invitation to an archived %s, which stands for a restore',
    async (what) => {
      const other = await service.newTeam();
      const email = newAddress();
      await other.ada.call('POST', `${other.place}/invitations`, { email, role: 'Viewer' });
      const place = what === 'department' ? other.place : `/${other.organization_id}`;
      const body = what === 'department' ? { chatbots: 'delete' } : undefined;
      expect((await other.ada.call('POST', `${place}/archive`, body)).status).toBe(200);
      const user_id = await join(email);
      expect(await service.db.memberships.countDocuments({ user_id })).toBe(0);
      expect((await records(email)).length).toBe(1);
    },
  );

  test('a verification accepts no invitation whose inviter has lost the role to grant it', async () => {
    const other = await service.newTeam();
    const { Admin } = other.people;
    const email = newAddress();
    await Admin.call('POST', `${other.place}/invitations`, { email, role: 'Viewer' });
    expect((await other.ada.call('DELETE', `${other.place}/members/${Admin.user_id}`)).status).toBe(200);
    const user_id = await join(email);
    expect(await service.db.memberships.countDocuments({ user_id })).toBe(0);
  });

  test('inviting again renews the invitation with the new role and inviter, and mails again', async () => {
    const email = newAddress();
    const { invitation_id } = (await invite(email)).body;
    service.clock.advance(10 * DAY);
    const again = await invite(email, 'Editor', team.people.Admin);
    expect(outcome(again)).toStrictEqual({
      status: 201,
      body: pending(email, { invitation_id, role: 'Editor', granted_by: team.people.Admin.user_id }),
    });
    expect(textsTo(email)).toEqual(Array(2).fill(invitedText(email, invitation_id)));
    service.clock.advance(13 * DAY);
    expect(await roleOf(await join(email))).toBe('Editor');
  });

  test.each(ROLES)('%s cannot invite to a role above their own', async (own) => {
    const may = { Owner: ROLES, Admin: ROLES.slice(1), Editor: [], Viewer: [], Analyst: [] }[own];
    for (const role of ROLES) {
      const email = newAddress();
      const answer = await invite(email, role, team.people[own]);
      if ((may as readonly string[]).includes(role)) expect(answer.status, role).toBe(201);
      else {
        expect(outcome(answer), role).toStrictEqual(forbidden(service.clock));
        expect(await records(email)).toEqual([]);
        expect(service.mailsTo(email)).toEqual([]);
      }
    }
  });

  test('an Admin can neither change nor withdraw an invitation to be Owner', async () => {
    const email = newAddress();
    const { invitation_id } = (await invite(email, 'Owner')).body;
    const before = await records(email);
    const { Admin } = team.people;
    expect(outcome(await invite(email, 'Viewer', Admin))).toStrictEqual(forbidden(service.clock));
    const withdrawn = await Admin.call('DELETE', `${team.place}/invitations/${invitation_id}`);
    expect(outcome(withdrawn)).toStrictEqual(forbidden(service.clock));
    expect(await records(email)).toStrictEqual(before);
    expect(service.mailsTo(email)).toHaveLength(1);
  });

  const isMember = () => duplicate(service.clock, 'Already a member');
  test('refuses the address of a member who was invited by it', async () => {
    const bob = await service.newPerson();
    await service.accept(bob, (await invite(bob.email)).body.invitation_id);
    const mails = service.mailbox.mails.length;
    const before = await team.stored();
    for (const caller of [team.ada, team.people.Admin])
      expect(outcome(await invite(bob.email, 'Editor', caller))).toStrictEqual(isMember());
    expect(await team.stored()).toStrictEqual(before);
    expect(service.mailbox.mails).toHaveLength(mails);
  });

  test('refuses one’s own address', async () => {
    const before = await team.stored();
    for (const caller of [team.ada, team.people.Admin])
      expect(outcome(await invite(caller.email, 'Viewer', caller))).toStrictEqual(isMember());
    expect(await team.stored()).toStrictEqual(before);
  });

  test('tells no one which address a member or an Owner has', async () => {
    const bob = await service.newPerson();
    await service.addMember(team.ada, team.place, bob, 'Viewer');
    for (const person of [bob, team.ada, team.people.Owner]) {
      const email = person.email.toLowerCase();
      const answer = await invite(email, 'Editor', team.people.Admin);
      expect(outcome(answer)).toStrictEqual({
        status: 201,
        body: pending(email, { role: 'Editor', granted_by: team.people.Admin.user_id }),
      });
      expect((await service.accept(person, answer.body.invitation_id)).status).toBe(409);
    }
    expect(await roleOf(bob.user_id)).toBe('Viewer');
    expect(await roleOf(team.ada.user_id)).toBeUndefined();
  });

  test('ignores unknown and read-only fields', async () => {
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

describe('the invitation mail', () => {
  const HEADERS = ['from', 'to', 'subject', 'message-id', 'date'];

  test.each([
    '<script src=evil></script><a href="evil">',
    'Bcc: eve@example',
    '=?utf-8?Q?=0D=0ABcc:_eve@example?=',
    '%0d%0aBcc: eve@example',
    '\\r\\nBcc: eve@example',
    '🤖 Größe "quoted" \\',
    '.',
    'x'.repeat(200),
  ])('has names only in its text: %s', async (name) => {
    const { ada, organization_id } = await service.newTeam({ name });
    const department = await service.newDepartment(ada, organization_id, `${name.slice(0, 199)}!`);
    const email = newAddress();
    const answer = await ada.call('POST', `${department.place}/invitations`, { email, role: 'Viewer' });
    expect(answer.status).toBe(201);
    const [mail, ...others] = service.mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.recipients).toEqual([email]);
    const { invitation_id } = answer.body;
    expect(mail?.content.text).toBe(invitedText(email, invitation_id, department.record.name, name));
    expect(visibleText(mail?.content.html ?? '')).toContain(`to "${department.record.name}" at "${name}".`);
    expect(mail?.content.attachments).toEqual([]);
    const head = mail?.content.headerLines ?? [];
    const mime = ['mime-version', 'content-type'];
    expect(head.map(({ key }) => key).sort()).toEqual([...HEADERS, ...mime].sort());
    const lines = Object.fromEntries(head.map(({ key, line }) => [key, line]));
    expect(lines).toMatchObject({
      to: `To: ${email}`,
      subject: 'Subject: You are invited to a team',
      'content-type': expect.stringMatching(/^Content-Type: multipart\/alternative;\s+boundary="[^"]+"$/),
    });
    for (const line of Object.values(lines)) expect(line).not.toMatch(/eve@|evil|xxxx|Größe|🤖/);
  });
});

test('the invitation mail withholds a stored name that holds a link', async () => {
  const { ada, place, department } = await service.newTeam({ name: 'Log in at https://evil.example' });
  const email = newAddress();
  const { status, body } = await ada.call('POST', `${place}/invitations`, { email, role: 'Viewer' });
  expect(status).toBe(201);
  expect(textsTo(email)).toEqual([
    invitedText(email, body.invitation_id, department.name, '(name withheld)'),
  ]);
});

describe('concurrent calls', () => {
  withTeams();

  test('two invitations of an address create one', async () => {
    for (let round = 0; round < rounds(3); round += 1) {
      const email = newAddress();
      const answers = await concurrently(2, (turn) => invite(email, turn ? 'Editor' : 'Viewer'));
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      const stored = await records(email);
      expect(stored).toHaveLength(1);
      for (const { body } of answers) expect(body.invitation_id).toBe(stored[0]?.membership_id);
    }
  });

  test('invitations of one person by address and by user_id, accepted at once, make one member', async () => {
    for (let round = 0; round < rounds(3); round += 1) {
      const bob = await service.newPerson();
      const [invited, added] = await Promise.all([
        invite(bob.email),
        team.ada.call('PUT', `${team.place}/members/${bob.user_id}`, { role: 'Viewer' }),
      ]);
      expect([invited.status, added.status]).toEqual([201, 202]);
      const ids = [invited, added].map(({ body }) => body.invitation_id);
      const answers = await Promise.all([...ids, ...ids].map((id) => service.accept(bob, id)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(await service.db.memberships.countDocuments({ user_id: bob.user_id })).toBe(1);
    }
  });

  test('a person who verifies while being invited is a member or is asked', async () => {
    for (let round = 0; round < rounds(4); round += 1) {
      const email = newAddress();
      await signUp(email);
      const verifying = () => verify(email);
      const inviting = () => invite(email);
      const answers = await Promise.all(
        (round % 2 ? [verifying, inviting] : [inviting, verifying]).map((start) => start()),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
      const [record, ...others] = await records(email);
      expect(others).toEqual([]);
      if (record?.user_id) expect(record).not.toHaveProperty('valid_until');
      else expect((await list()).body.data).toContainEqual(pending(email));
      service.clock.advance(600);
    }
  });

  test('several verifications accept an invitation once', async () => {
    for (let round = 0; round < rounds(3); round += 1) {
      const email = newAddress();
      await invite(email, 'Editor');
      await signUp(email);
      const answers = await concurrently(6, () => verify(email));
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
      expect(await records(email)).toMatchObject([{ user_id: answers[0]?.body.user_id, role: 'Editor' }]);
    }
  });

  test('an invitation is either accepted or withdrawn', async () => {
    for (let round = 0; round < rounds(3); round += 1) {
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

describe('an interrupted acceptance', () => {
  withTeams();

  /** Verifies an address and fails before the invitations are accepted. @returns the user_id. */
  async function verifyInterrupted(email: string): Promise<string> {
    await signUp(email);
    const { memberships } = service.db;
    const find = memberships.find.bind(memberships);
    const spy = vi.spyOn(memberships, 'find').mockImplementation(((filter: object, options?: object) => {
      // The relay of events reads memberships too.
      if ('email' in filter) throw new Error('the process ends');
      return find(filter, options);
    }) as typeof memberships.find);
    expect((await verify(email)).status).toBe(500);
    spy.mockRestore();
    const user = await service.db.users.findOne({ email });
    expect(user).toMatchObject({ verified: true, activated_at: new Date(service.clock.now()) });
    return String(user?.user_id);
  }

  test.each([
    ['when a service starts', restart],
    ['at the next verification', verify],
  ])('is completed %s, for the invitations from before only', async (_, complete) => {
    const email = newAddress();
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    await invite(email, 'Editor');
    const user_id = await verifyInterrupted(email);
    service.clock.advance(1);
    await service.storeInvitation({ ...team, ...sibling }, { email });
    const mails = service.mailbox.mails.length;
    await complete(email);
    await completeActivations(service.db, service.clock.now()); // a second start changes nothing
    expect(service.mailbox.mails).toHaveLength(mails);
    expect(await roleOf(user_id)).toBe('Editor');
    expect(await service.db.memberships.countDocuments({ user_id })).toBe(1);
    expect(await service.db.users.findOne({ email })).not.toHaveProperty('activated_at');
  });

  test('accepts nothing for active accounts, and costs one query without interruptions', async () => {
    const bob = await service.newPerson();
    await service.storeInvitation(team, { email: bob.email.toLowerCase() });
    // A connection of its own, because the relay of events reads users as well.
    const db = await connect(service.uri, COLLECTIONS, { appName: 'test' });
    const queries = [vi.spyOn(db.users, 'findOne'), vi.spyOn(db.users, 'find')];
    await completeActivations(db, service.clock.now());
    expect(queries.flatMap(({ mock }) => mock.calls)).toHaveLength(1);
    await db.close();
    expect(await roleOf(bob.user_id)).toBeUndefined();
  });

  test('a later verification of an active account accepts nothing', async () => {
    const email = newAddress();
    const user_id = await join(email);
    await service.storeInvitation(team, { email });
    await verify(email);
    expect(await roleOf(user_id)).toBeUndefined();
  });

  test('a verification that does not activate the account accepts nothing', async () => {
    const email = newAddress();
    await invite(email);
    await signUp(email);
    await service.db.users.updateOne({ email }, { $set: { account_status: 'disabled' } });
    const { user_id } = (await verify(email)).body;
    await service.db.users.updateOne({ email }, { $set: { account_status: 'active' } });
    await restart();
    expect(await roleOf(user_id)).toBeUndefined();
  });

  test('an invitation from before its validity was stored expires when it is deleted', async () => {
    const email = newAddress();
    const invitation_id = await service.storeInvitation(team, { email });
    await service.db.memberships.updateOne(
      { membership_id: invitation_id },
      { $set: { expires_at: new Date(inDays(3)) }, $unset: { valid_until: true } },
    );
    await restart();
    expect((await list()).body.data).toMatchObject([{ invitation_id, expires_at: inDays(3) }]);
  });
});

describe('expiry after fourteen days', () => {
  withTeams();

  test('an expired invitation is neither listed nor accepted; inviting again renews it', async () => {
    const email = newAddress();
    await invite(email);
    service.clock.advance(14 * DAY - 1);
    expect((await list()).body.pagination.total_items).toBe(1);
    service.clock.advance(1);
    expect(await list()).toStrictEqual(onePage());
    const user_id = await join(email);
    expect(await roleOf(user_id)).toBeUndefined();
    await completeActivations(service.db, service.clock.now());
    expect(await roleOf(user_id)).toBeUndefined();
    expect(outcome(await invite(email))).toStrictEqual({ status: 201, body: pending(email) });
  });

  test('an invitation is accepted in its last second', async () => {
    const email = newAddress();
    await invite(email);
    service.clock.advance(14 * DAY - 1);
    expect(await roleOf(await join(email))).toBe('Viewer');
  });

  test('an Admin can replace an expired invitation to be Owner', async () => {
    const email = newAddress();
    await invite(email, 'Owner');
    service.clock.advance(14 * DAY);
    const { Admin } = team.people;
    expect(outcome(await invite(email, 'Viewer', Admin))).toStrictEqual({
      status: 201,
      body: pending(email, { granted_by: Admin.user_id }),
    });
    expect(await roleOf(await join(email))).toBe('Viewer');
  });
});

describe('GET …/invitations', () => {
  withTeams();

  test('lists the pending invitations of the department only', async () => {
    const { ada, people, organization_id } = team;
    expect(await list()).toStrictEqual(onePage());
    const sibling = await service.newDepartment(ada, organization_id);
    await service.storeInvitation({ ...team, ...sibling }, { email: 'zoe.sibling@example.com' });
    await service.storeInvitation(await service.newTeam(), { email: 'zoe.other@example.com' });
    await invite('zoe.a@example.com', 'Editor');
    const first = pending('zoe.a@example.com', { role: 'Editor' });
    service.clock.advance(1);
    await invite('ZOE.b@example.com', 'Viewer', people.Admin);
    const second = pending('zoe.b@example.com', { granted_by: people.Admin.user_id });
    expect(await list()).toStrictEqual(onePage(second, first));
    expect(await list('?sort_by=email&order=asc')).toStrictEqual(onePage(first, second));
    expect(await list('?sort_by=role')).toStrictEqual(onePage(second, first));
    expect(await list('?role=Editor')).toStrictEqual(onePage(first));
    expect(await list('?search=ZOE.B')).toStrictEqual(onePage(second));
    expect(await list('?search=zoe.')).toStrictEqual(onePage(second, first));
    expect(await list('?search=other')).toStrictEqual(onePage());
    expect(await list('?search=.%2B')).toStrictEqual(onePage());
    expect((await list('?limit=1&page=2')).body).toStrictEqual({
      data: [first],
      pagination: { page: 2, limit: 1, total_items: 2, total_pages: 2, has_next: false, has_prev: true },
    });
  });
});

describe('DELETE …/invitations/{invitation_id}', () => {
  withTeams();

  const withdraw = async (id: string, caller: Person = team.ada) =>
    outcome(await caller.call('DELETE', `${team.place}/invitations/${id}`));

  test('withdraws a pending invitation', async () => {
    const email = newAddress();
    const { invitation_id } = (await invite(email)).body;
    expect(await withdraw(invitation_id, team.people.Admin)).toStrictEqual({
      status: 200,
      body: { message: 'Invitation withdrawn' },
    });
    expect(await withdraw(invitation_id)).toStrictEqual(notFound(service.clock));
    expect(await list()).toStrictEqual(onePage());
    expect(await roleOf(await join(email))).toBeUndefined();
  });

  test('returns 404 for an accepted invitation, one of another department and an unknown one', async () => {
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    const bob = await service.newPerson();
    const { invitation_id } = (await invite(bob.email)).body;
    await service.accept(bob, invitation_id);
    const ids = [
      invitation_id,
      await service.storeInvitation({ ...team, ...sibling }, { email: newAddress() }),
      await service.storeInvitation(await service.newTeam(), { email: newAddress() }),
      ...STRANGE_IDS,
    ];
    const before = await service.db.memberships.find().toArray();
    for (const id of ids) expect(await withdraw(id), id.slice(0, 40)).toStrictEqual(notFound(service.clock));
    expect(await service.db.memberships.find().toArray()).toStrictEqual(before);
  });
});

describe('the budget of an inviter, twenty an hour', () => {
  withTeams();

  const tooMany = (seconds: number) => rateLimited(20, seconds, service.clock.now());
  /** Counts invitations without sending them. */
  const spend = ({ user_id }: Person, count: number) => {
    const uses = Array.from({ length: count }, () => ({ id: randomUUID(), at: service.clock.seconds() }));
    return service.db.budgets.updateOne(
      { key: `inviter ${user_id}` },
      { $push: { uses: { $each: uses } }, $set: { expires_at: new Date(service.clock.now() + 3_600_000) } },
      { upsert: true },
    );
  };

  test('refuses the 21st until an hour after the first, for that inviter only', async () => {
    const { ada, people } = team;
    expect((await invite(newAddress())).status).toBe(201);
    service.clock.advance(60);
    await spend(ada, 16);
    for (let number = 18; number <= 20; number += 1)
      expect((await invite(newAddress())).status, `number ${number}`).toBe(201);
    const email = newAddress();
    const refused = await invite(email);
    expect(outcome(refused)).toStrictEqual(tooMany(3540));
    expect(refused.headers.get('retry-after')).toBe('3540');
    expect(await records(email)).toEqual([]);
    expect(service.mailsTo(email)).toEqual([]);
    // The budget is per inviter, not per department.
    const sibling = await service.newDepartment(ada, team.organization_id);
    const elsewhere = await ada.call('POST', `${sibling.place}/invitations`, { email, role: 'Viewer' });
    expect(outcome(elsewhere)).toStrictEqual(tooMany(3540));
    // Refused calls do not count against the recipient.
    for (let number = 0; number < 3; number += 1)
      expect((await invite(email, 'Viewer', people.Admin)).status).toBe(201);
    service.clock.advance(3539);
    expect(outcome(await invite(newAddress()))).toStrictEqual(tooMany(1));
    service.clock.advance(1);
    expect((await invite(newAddress())).status).toBe(201);
    expect(outcome(await invite(newAddress()))).toStrictEqual(tooMany(60));
  });

  test('holds for concurrent calls, and refused calls are not counted', async () => {
    const { Admin } = team.people;
    await spend(Admin, 15);
    for (const [email, role] of [
      [newAddress(), 'Owner'],
      ['grace', 'Viewer'],
      [newAddress(), 'viewer'],
    ])
      expect((await invite(email, role, Admin)).status).toBeGreaterThanOrEqual(400);
    const answers = await concurrently(12, () => invite(newAddress(), 'Viewer', Admin));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(5).fill(201),
      ...Array(7).fill(429),
    ]);
  });
});

describe('the budget of a recipient, three a day', () => {
  withTeams();

  const tooMany = (seconds: number) => rateLimited(3, seconds, service.clock.now());

  test('is shared by all inviters and departments of an organization', async () => {
    const { ada, people, organization_id } = team;
    const email = newAddress();
    const sibling = await service.newDepartment(ada, organization_id);
    expect((await invite(email)).status).toBe(201);
    service.clock.advance(60);
    expect((await invite(email, 'Viewer', people.Admin)).status).toBe(201);
    expect((await ada.call('POST', `${sibling.place}/invitations`, { email, role: 'Viewer' })).status).toBe(
      201,
    );
    const before = await team.stored();
    const refused = await invite(email, 'Viewer', people.Owner);
    expect(outcome(refused)).toStrictEqual(tooMany(DAY - 60));
    expect(refused.headers.get('retry-after')).toBe(String(DAY - 60));
    expect(await team.stored()).toStrictEqual(before);
    expect(service.mailsTo(email)).toHaveLength(3);
    // Another organization has its own.
    const other = await service.newTeam();
    const elsewhere = await other.ada.call('POST', `${other.place}/invitations`, { email, role: 'Viewer' });
    expect(elsewhere.status).toBe(201);
    service.clock.advance(DAY - 61);
    expect(outcome(await invite(email))).toStrictEqual(tooMany(1));
    service.clock.advance(1);
    expect((await invite(email)).status).toBe(201);
    expect(outcome(await invite(email))).toStrictEqual(tooMany(60));
  });

  test('holds for one inviter across organizations', async () => {
    const { ada } = team;
    const email = newAddress();
    const statuses: number[] = [];
    for (let number = 0; number < 4; number += 1) {
      const { organization_id } = await service.create(ada, '', { name: `Front ${number}` });
      const { place } = await service.newDepartment(ada, organization_id);
      statuses.push((await ada.call('POST', `${place}/invitations`, { email, role: 'Viewer' })).status);
    }
    expect(statuses).toEqual([201, 201, 201, 429]);
    expect(service.mailsTo(email)).toHaveLength(3);
  });

  test.each([
    ['stranger@example.com', 'STRANGER+{}@example.com'],
    ['a.stranger@gmail.com', 'astr.anger+{}@googlemail.com'],
  ])('counts spellings of one mailbox together: %s, %s', async (first, spelling) => {
    expect((await invite(first)).status).toBe(201);
    const answers = await concurrently(5, (turn) => invite(spelling.replace('{}', String(turn))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 429, 429, 429]);
  });

  test('holds for concurrent calls', async () => {
    const email = newAddress();
    const { Admin, Owner } = team.people;
    const answers = await concurrently(9, (turn) =>
      invite(email, 'Viewer', [team.ada, Admin, Owner][turn % 3] as Person),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(3).fill(201),
      ...Array(6).fill(429),
    ]);
    expect(service.mailsTo(email)).toHaveLength(3);
    // A refused call has given back what it took from the other budgets.
    const uses = await service.db.budgets.find({ key: { $regex: email } }).toArray();
    const ofOrganization = uses.filter(({ key }) => key.startsWith('organization'));
    const ofInviters = uses.filter(({ key }) => key.startsWith('inviter'));
    expect(ofOrganization.flatMap((each) => each.uses)).toHaveLength(3);
    expect(ofInviters.flatMap((each) => each.uses)).toHaveLength(3);
  });
});

test('a client network sends thirty invitations an hour, whatever the accounts', async () => {
  const teams = [await service.newTeam(), await service.newTeam()];
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const inviteFrom = (turn: number, address: string) => {
    const { ada, place } = teams[turn % 2] as Team;
    const body = { email: newAddress(), role: 'Viewer' };
    return ada.call('POST', `${place}/invitations`, body, from(address));
  };
  const answers = await concurrently(36, (turn) => inviteFrom(turn, `2001:db8:1:2::${turn + 1}`));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(30).fill(201), ...Array(6).fill(429)]);
  expect(outcome(await inviteFrom(0, '2001:db8:1:2::ffff'))).toStrictEqual(
    rateLimited(30, 3600, service.clock.now()),
  );
  expect((await inviteFrom(0, '2001:db8:1:3::1')).status).toBe(201);
  service.clock.advance(3600);
  expect((await inviteFrom(0, '2001:db8:1:2::1')).status).toBe(201);
});

test('returns 503 while the mail server is down, and a retry succeeds', async () => {
  const [port] = (await freePorts(1)) as [number];
  const down = await startOrganizationService({ env: { SMTP_URL: `smtp://127.0.0.1:${port}` } });
  const { ada, place } = await down.newTeam();
  const bob = await down.newPerson();
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
  // The invitations stand, so they are audited.
  expect(await down.db.auditEvents.countDocuments({ action: 'invitation.create' })).toBe(2);
  const mailbox = await startMailbox({ port });
  for (const email of ['grace@example.com', bob.email]) {
    const answer = await post(email);
    expect([answer.status, answer.body.status]).toEqual([201, 'pending']);
    expect(mailbox.mails.map(({ recipients }) => recipients)).toContainEqual([email]);
  }
  expect(mailbox.mails).toHaveLength(2);
  await down.stop();
  await mailbox.close();
});

describe('invalid requests of POST …/invitations', () => {
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
  ])('refuses the e-mail %j; writes and mails nothing', async (email, details) => {
    const before = await team.stored();
    const mails = service.mailbox.mails.length;
    expect(outcome(await invite(email))).toStrictEqual(malformed(details, service.clock));
    expect(await team.stored()).toStrictEqual(before);
    expect(service.mailbox.mails).toHaveLength(mails);
  });

  test('refuses an invalid body and writes nothing', async () => {
    const before = await team.stored();
    const post = async (body: unknown) =>
      outcome(await team.ada.call('POST', `${team.place}/invitations`, body));
    const email = newAddress();
    expect(await post({ email })).toStrictEqual(missing('role is required', service.clock));
    expect(await post({ role: 'Viewer' })).toStrictEqual(missing('email is required', service.clock));
    expect(await post('')).toStrictEqual(missing('body is required', service.clock));
    for (const role of ['owner', '', null, ['Viewer'], { $ne: 1 }])
      expect(await post({ email, role })).toStrictEqual(
        malformed('role must be one of Owner, Admin, Editor, Viewer, Analyst', service.clock),
      );
    for (const [what, body] of BAD_BODIES)
      expect(await post(body), what).toStrictEqual(malformed(expect.any(String), service.clock));
    expect(await team.stored()).toStrictEqual(before);
  });
});

describe('invalid queries of GET …/invitations', () => {
  test.each([
    ...BAD_QUERIES,
    ['status=accepted', 'status must be one of pending, declined, expired'],
    ['sort_by=expires_at', 'sort_by must be one of granted_at, email, role'],
    ['role=owner', 'role must be one of Owner, Admin, Editor, Viewer, Analyst'],
  ])('refuses ?%s', async (query, details) => {
    expect(await list(`?${query}`)).toStrictEqual(malformed(details, service.clock));
  });
});
