import type { Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { freshMongodbUri } from '../fixtures/database.ts';
import { postForm, send, sendJson } from '../fixtures/http.ts';
import { loggedIn } from '../fixtures/members.ts';
import { withOptions } from '../fixtures/mongodb.ts';
import { mailedCode, type Services, startServices } from '../fixtures/services.ts';

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];

let services: Services;
const writes: Document[] = [];
beforeAll(async () => {
  const address = withOptions(await freshMongodbUri(), { monitorCommands: 'true' });
  services = await startServices({ address });
  const { client } = services.db.users as unknown as { client: MongoClient };
  client.on('commandStarted', ({ commandName, command }) => {
    if (WRITES.includes(commandName)) writes.push(command);
  });
});
afterAll(() => services.stop());
beforeEach(() => {
  writes.length = 0;
});

/** Checks that the database acknowledged each write only when it could no longer be lost. */
function expectDurable() {
  expect(writes).not.toEqual([]);
  for (const command of writes)
    expect(command, JSON.stringify(command)).toMatchObject({ writeConcern: { w: 'majority', j: true } });
}

test('signup, codes and resets are durable', async () => {
  const email = 'ada@example.com';
  const form = async (operation: string, fields: object) =>
    (await postForm(`${services.user}/v2/${operation}`, { email, ...fields })).status;
  const otp = () => mailedCode(services.mailbox, email);
  expect(await form('signup', { password: 'secret', name: 'Ada' })).toBe(200);
  expect(await form('verify-otp', { otp: '000000' })).toBe(400);
  expect(await form('verify-otp', { otp: otp() })).toBe(200);
  expect(await form('forgot-password', {})).toBe(200);
  expect(await form('reset-password', { otp: otp(), new_password: 'new' })).toBe(200);
  expectDurable();
});

test('a logout is durable', async () => {
  const { headers } = await loggedIn(services);
  writes.length = 0;
  expect((await send(`${services.login}/auth/logout`, { method: 'POST', headers })).status).toBe(200);
  expectDurable();
});

test('Owners, members and roles are durable', async () => {
  const [ada, bob] = [await loggedIn(services), await loggedIn(services)];
  writes.length = 0;
  const organizations = `${services.user}/api/v1/organizations`;
  const call = async (method: string, path: string, body: object = {}) => {
    const answer = await sendJson(method, `${organizations}${path}`, body, ada.headers);
    expect(answer.status, `${method} ${path}`).toBeOneOf([200, 201, 202]);
    return answer.body;
  };
  const { organization_id } = await call('POST', '', { name: 'Engines' });
  const { department_id } = await call('POST', `/${organization_id}/departments`, { name: 'Support' });
  const member = `/${organization_id}/departments/${department_id}/members/${bob.user_id}`;
  const accept = async ({ invitation_id }: { invitation_id: string }) => {
    const path = `${services.user}/api/v1/invitations/${invitation_id}/accept`;
    expect((await sendJson('POST', path, {}, bob.headers)).status).toBe(200);
  };
  await accept(await call('PUT', member, { role: 'Viewer' }));
  await call('PUT', member, { role: 'Editor' });
  await call('DELETE', member);
  await accept(await call('PUT', `/${organization_id}/owners/${bob.user_id}`));
  await call('DELETE', `/${organization_id}/owners/${bob.user_id}`);
  expectDurable();
});
