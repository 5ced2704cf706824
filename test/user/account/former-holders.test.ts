import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { postForm, postJson, send } from '../../fixtures/http.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';
import { mailedUndo, newAddress, undo } from './address-changes.ts';
import { runDeletions } from './deletion/run-deletions.ts';

const DAY = 86_400;

let services: Services;
beforeAll(async () => {
  services = await startServices({ env: { TRUST_PROXY: 'loopback' } });
});
afterAll(() => services.stop());

/** A person at a network of their own, whose signup is followed by a wrong login, a code and a right login. */
async function signedUp(email: string, network: string) {
  const { user: url, login, mailbox, clock } = services;
  const from = { 'x-forwarded-for': network };
  const logIn = async (address: string) => {
    clock.advance(1);
    const fields = { email: address, password: 'secret' };
    const { body } = await postForm(`${login}/v2/login`, fields, from);
    return { authorization: `Bearer ${body.token}`, ...from };
  };
  await postForm(`${url}/v2/signup`, { email, password: 'secret', name: 'Person' }, from);
  await postForm(`${login}/v2/login`, { email, password: 'wrong' }, from);
  const verified = await postForm(`${url}/v2/verify-otp`, { email, otp: mailedCode(mailbox, email) }, from);
  return {
    user_id: verified.body.user_id as string,
    logIn,
    async change(from: string, to: string) {
      const headers = await logIn(from);
      await postJson(`${url}/api/v1/users/me/email`, { email: to }, headers);
      const code = mailedCode(mailbox, to);
      expect((await postJson(`${url}/api/v1/users/me/email/verify`, { code }, headers)).status).toBe(200);
      clock.advance(1);
    },
    async requestDeletion(address: string) {
      const headers = await logIn(address);
      expect((await send(`${url}/api/v1/users/me`, { method: 'DELETE', headers })).status).toBe(202);
    },
    /** The attempts of their audit, as the list and the download show them. */
    async attempts(address: string) {
      const headers = await logIn(address);
      const list = await send(`${url}/api/v1/users/me/audit?limit=100`, { headers });
      const download = await send(`${url}/api/v1/users/me/data`, { headers });
      const shown = briefly(list.body.data);
      expect(briefly(download.body.audit)).toEqual(shown);
      return shown;
    },
  };
}

const briefly = (events: { action: string; outcome: string; address: string }[]) =>
  events
    .filter(({ action, outcome }) => action === 'signup' || (action === 'login' && outcome !== 'success'))
    .map(({ action, address }) => `${action} from ${address}`);

test('the next holder of an address sees nothing of an earlier one, who keeps seeing their own attempts', async () => {
  const [first, second, third] = [newAddress(), newAddress(), newAddress()];
  const ada = await signedUp(first, '192.0.2.1');
  await ada.change(first, second);
  const eve = await signedUp(first, '192.0.2.2');
  expect(await ada.attempts(second)).toEqual(['login from 192.0.2.1', 'signup from 192.0.2.1']);
  expect(await eve.attempts(first)).toEqual(['login from 192.0.2.2', 'signup from 192.0.2.2']);

  await eve.change(first, third);
  await ada.change(second, first);
  expect(await ada.attempts(first)).toEqual(['login from 192.0.2.1', 'signup from 192.0.2.1']);
  expect(await eve.attempts(third)).toEqual(['login from 192.0.2.2', 'signup from 192.0.2.2']);
});

test('an undone change leaves each attempt with its account', async () => {
  const [first, second] = [newAddress(), newAddress()];
  const ada = await signedUp(first, '192.0.2.3');
  await ada.change(first, second);
  await undo(services.user, await mailedUndo(services, first));
  const eve = await signedUp(second, '192.0.2.4');
  expect(await eve.attempts(second)).toEqual(['login from 192.0.2.4', 'signup from 192.0.2.4']);
  const own = { user_id: ada.user_id, action: 'signup' as const };
  expect(await services.db.auditEvents.findOne(own)).toMatchObject({ address: '192.0.2.3' });
});

test('attempts at an organization’s provider keep no user_id when the address changes', async () => {
  const [first, second] = [newAddress(), newAddress()];
  const ada = await signedUp(first, '192.0.2.5');
  const { db, clock } = services;
  const signup = await db.auditEvents.findOne({ email: first, action: 'signup' });
  if (!signup) throw new Error('the signup is not audited');
  await db.auditEvents.insertOne({
    ...signup,
    _id: new ObjectId(),
    event_id: `${first} at a provider`,
    at: new Date(clock.now()),
    action: 'sso.login',
    organization_id: 'of others',
  });
  await ada.change(first, second);
  expect(await db.auditEvents.findOne({ organization_id: 'of others' })).toMatchObject({ user_id: null });
});

test('a deletion leaves nothing with an earlier address, and leaves its other holders alone', async () => {
  const [first, second] = [newAddress(), newAddress()];
  const { db, clock } = services;
  const eve = await signedUp(first, '192.0.2.6');
  await eve.change(first, newAddress());
  const ada = await signedUp(first, '192.0.2.7');
  await db.auditEvents.insertOne({
    event_id: `an invitation to ${first}`,
    at: new Date(clock.now()),
    action: 'invitation.create',
    outcome: 'success',
    user_id: 'User-1',
    email: 'owner@example.com',
    target: { email: first },
    before: null,
    after: null,
    organization_id: 'of others',
    department_id: null,
    address: '192.0.2.9',
    request_id: 'r',
  });
  await ada.change(first, second);
  const bob = await signedUp(first, '192.0.2.8');
  await ada.requestDeletion(second);
  clock.advance(14 * DAY);
  await eventually(async () => {
    clock.advance(3);
    expect(await runDeletions(services)).toEqual([]);
    expect(await db.users.findOne({ user_id: ada.user_id })).toBeNull();
  }, 100);

  expect(await db.auditEvents.countDocuments({ address: '192.0.2.7' })).toBe(0);
  for (const email of [first, second])
    expect(
      await db.auditEvents.countDocuments({
        $or: [{ 'before.email': email }, { 'target.email': email }],
        user_id: ada.user_id,
      }),
    ).toBe(0);
  expect(await db.auditEvents.countDocuments({ 'target.email': first })).toBe(0);
  expect((await db.auditEvents.distinct('user_id', { email: first })).toSorted()).toEqual(
    [null, bob.user_id, eve.user_id].toSorted(),
  );
  expect(await db.auditEvents.countDocuments({ address: '192.0.2.6', email: first })).toBeGreaterThan(3);
  expect(await bob.attempts(first)).toEqual(['login from 192.0.2.8', 'signup from 192.0.2.8']);
});
