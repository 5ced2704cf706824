import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../fixtures/http.ts';
import { loggedIn } from '../fixtures/members.ts';
import { conversation } from '../webhooks/event-samples.ts';
import { SECRET, startWebhookService, type WebhookService } from '../webhooks/webhook-service.ts';

/** While two releases run side by side, this one reads what the later one stores. */
let service: WebhookService;
beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.stop());

test('lists an audited action that it does not know', async () => {
  const { headers } = await loggedIn(service);
  await service.db.auditEvents.updateMany(
    { action: 'login' },
    { $set: { action: 'account.later' as 'login' } },
  );
  const { status, body } = await send(`${service.user}/api/v1/users/me/audit`, { headers });
  expect(status).toBe(200);
  expect(body.data).toMatchObject([{ action: 'account.later', outcome: 'success' }]);
});

test('shows a webhook with an event that it does not know, and pulls the event', async () => {
  const { user_id, call, configure, events } = await service.person();
  const webhook_id = await configure({ url: 'http://127.0.0.1:9', secret: SECRET });
  const event = conversation(user_id);
  await service.publish(event);
  const later = 'account.later' as 'conversation.started';
  const { db } = service;
  await db.webhooks.updateOne({ webhook_id }, { $push: { events: later } });
  await db.events.updateMany({ _id: String(event.id) }, { $set: { event: later } });
  expect((await call('GET', `/${webhook_id}`)).body.events).toEqual(['conversation.started', later]);
  expect((await call('GET')).status).toBe(200);
  expect((await events('')).body.data).toMatchObject([{ event: later }]);
});
