import { createServer } from '@gatehouse/shared/http/server';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { publishEvents } from '../../packages/webhooks/intake/publish.ts';
import { checkServiceKey } from '../../services/user/access/service-key.ts';
import { COLLECTIONS } from '../../services/user/database.ts';
import { testClock } from '../fixtures/clock.ts';
import { watchedDatabase } from '../fixtures/database.ts';
import { postJson } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { listen, testConfig } from '../fixtures/services.ts';
import { storeOrganization } from '../user/access/store-organization.ts';
import { acceptOnly } from '../webhooks/accept.ts';
import { conversation } from '../webhooks/event-samples.ts';
import { hostOf } from '../webhooks/host.ts';
import { storedWebhook } from '../webhooks/stored-webhook.ts';
import { INTERNAL_API_KEY } from '../webhooks/webhook-service.ts';

const clock = testClock();
let database: Awaited<ReturnType<typeof watchedDatabase<typeof COLLECTIONS>>>;
let app: Awaited<ReturnType<typeof createServer>>;
let url: string;
let owner_id = 'User-999999';
let place: { organization_id: string; department_id: string };
beforeAll(async () => {
  database = await watchedDatabase(COLLECTIONS);
  const { db } = database;
  const config = testConfig('user', { INTERNAL_API_KEY });
  app = await createServer({ name: 'user', description: 'Events.', config, checks: {}, now: clock.now });
  const accept = acceptOnly({ db, now: clock.now });
  const guards = { 'service key': checkServiceKey(config) };
  await addOperations(app, [publishEvents], { db, host: hostOf(db), now: clock.now, accept }, guards);
  url = await listen(app);
  // Creates the event log.
  await publish(1);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});
beforeEach(async () => {
  const { db } = database;
  owner_id = String((await newMember(db)).user_id);
  const { departments } = await storeOrganization(db, {
    owners: [owner_id],
    departments: ['Support'],
    now: clock.now(),
  });
  const [{ organization_id, department_id } = { organization_id: '', department_id: '' }] = departments;
  place = { organization_id, department_id };
});

/** Publishes events in one call. @returns the commands, sorted because some of them run together. */
async function publish(count: number, fields: object = {}): Promise<string> {
  database.commands.length = 0;
  const events = Array.from({ length: count }, () => conversation(owner_id, fields));
  const headers = { authorization: `Bearer ${INTERNAL_API_KEY}` };
  expect((await postJson(`${url}/internal/events`, events, headers)).status).toBe(200);
  return database.commands.toSorted().join(' ');
}

const configure = (fields: object) =>
  database.db.webhooks.insertOne(storedWebhook({ webhook_id: JSON.stringify(fields), ...fields }));

test.each([1, 500])('a call with %i events without a subscriber takes five commands', async (count) => {
  // The places of the chatbots; the reservation beside the webhooks; the events; the end of the intake.
  expect(await publish(count)).toBe('find find findAndModify insert update');
});

test.each([1, 500])('a call with %i events for an account takes three more', async (count) => {
  await configure({ owner_id });
  // Whether the account is active; the deliveries and waking their queue.
  expect(await publish(count)).toBe('distinct find find findAndModify insert insert update update');
});

test('many deliveries are stored in pages', async () => {
  for (let index = 0; index < 10; index += 1) await configure({ ...place, name: `Webhook ${index}` });
  const commands = await publish(500, place);
  // The events, and 5,000 deliveries.
  expect(commands.split(' ').filter((name) => name === 'insert')).toHaveLength(1 + 3);
});

test('webhooks that are not subscribed to an event are not read', async () => {
  await configure({ owner_id, events: ['payment.failed'] });
  expect(await publish(1)).toBe('find find findAndModify insert update');
});

test.each([1, 500])('a call with %i events for an account and a place takes four more', async (count) => {
  await configure({ owner_id });
  await configure({ ...place });
  // Beside the chatbots, the named departments; beside the account and its webhooks, those of the place, and whether it is archived.
  expect(await publish(count, place)).toBe(
    'distinct find find find find find find findAndModify insert insert update updateMany',
  );
});
