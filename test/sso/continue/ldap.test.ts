import { type PracticeIdp, startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { postJson } from '../../fixtures/http.ts';
import { type SsoService, startSsoService } from '../sso-service.ts';
import { callsWith } from './sessions.ts';

let service: SsoService;
let practice: PracticeIdp;
let organization: Awaited<ReturnType<SsoService['newOrganization']>>;
let calls: ReturnType<typeof callsWith>;
let connection: { connection_id: string; slug: string };
beforeAll(async () => {
  service = await startSsoService({ ldap: { operationTimeout: 500, totalTimeout: 500 } });
  calls = callsWith(service);
  practice = await startPracticeIdp({
    port: 0,
    ldapPort: 0,
    gatehouse: 'http://localhost:8000',
    key: await createSigningKey(),
  });
  organization = await service.newOrganization({ domain: 'practice.test' });
  const { organization_id } = organization;
  const body = { organization_id, ...practice.connections.ldap };
  connection = (await organization.owner.call('POST', '/api/v1/sso/connections', body)).body;
});
afterAll(async () => {
  await practice.stop();
  await service.stop();
});
beforeEach(() => {
  practice.staff.isSlow = false;
});

async function token(username: string): Promise<string> {
  practice.staff.setCondition(username, 'active');
  const { status, body } = await postJson(`${service.url}/api/v1/auth/ldap`, {
    connection: connection.slug,
    username,
    password: `${username}-practice`,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body.access_token;
}

const mails = () =>
  service.mailbox.mails.filter(
    ({ recipients, content }) =>
      recipients.includes(organization.owner.email) &&
      /account was deprovisioned/.test(content.subject ?? ''),
  );

test('a session goes on while the directory finds the person', async () => {
  const first = await token('grace');
  const { status, body } = await calls.refresh(first);
  expect(status).toBe(200);
  expect((await calls.refresh(body.access_token)).status).toBe(200);
});

test.each([
  ['is locked', () => practice.staff.setCondition('grace', 'disabled'), /locked them: pwdAccountLockedTime/],
  [
    'has left the filter',
    () =>
      service.db.ssoConnections.updateOne(
        { connection_id: connection.connection_id },
        { $set: { 'ldap.user_filter': '(&(uid={username})(role=Admin))' } },
      ),
    /filter no longer finds/,
  ],
])('every session of a person who %s ends, without a mail', async (_name, change, detail) => {
  const sessions = [await token('grace'), await token('grace')];
  await change();
  const events = await eventsOf(service, async () => {
    expect((await calls.refresh(String(sessions[0]))).status).toBe(401);
  });
  expect(events.map(({ action }) => action)).toEqual(['sso.logout']);
  expect(events[0]?.after?.detail).toMatch(detail);
  for (const session of sessions) expect(await calls.status(session)).toBe(401);
  expect(mails()).toEqual([]);
  await service.db.ssoConnections.updateOne(
    { connection_id: connection.connection_id },
    { $set: { 'ldap.user_filter': '(uid={username})' } },
  );
});

test('the Owners hear once of a person who is gone, and again after another login', async () => {
  for (let turn = 1; turn <= 2; turn += 1) {
    const sessions = [await token('linus'), await token('linus')];
    practice.staff.setCondition('linus', 'deleted');
    const answers = await Promise.all(sessions.map(calls.refresh));
    expect(answers.map(({ status }) => status)).toEqual([401, 401]);
    await eventually(() => expect(mails()).toHaveLength(turn));
  }
  expect(mails()[0]?.content.text).toContain('The sessions that began at this provider have ended.');
});

test('a directory that cannot be reached allows one refresh', async () => {
  const session = await token('ada');
  practice.staff.isSlow = true;
  expect((await calls.refresh(session)).status).toBe(200);
  expect((await calls.refresh(session)).status).toBe(503);
  expect(await calls.status(session)).toBe(200);
  practice.staff.isSlow = false;
  expect((await calls.refresh(session)).status).toBe(200);
});
