import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { newMember } from '../../fixtures/members.ts';
import { type Receiver, startReceiver, status } from '../../fixtures/receiver.ts';
import { acceptOnly } from '../accept.ts';
import { conversation } from '../event-samples.ts';
import { type Person, startWebhookService, type WebhookService } from '../webhook-service.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

let service: WebhookService;
let ada: Person;
let receiver: Receiver;
let webhook_id: string;
beforeAll(async () => {
  service = await startWebhookService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  ada = await service.person();
  receiver = await startReceiver();
  webhook_id = await ada.configure({ url: `${receiver.url}/key/4711` });
});
afterEach(() => receiver.stop());

/** When the newest event was published, in Unix milliseconds. */
let published: number;
const publish = () => {
  published = service.clock.now();
  return service.publish(conversation(ada.user_id));
};
const stored = () => service.stored(webhook_id);
const at = () => new Date(service.clock.now()).toISOString();

/**
 * Moves the clock from one attempt to the next until a time, the end of all retries or the webhook is disabled. Most
 * attempts are late and therefore few; those of the last day come when they are due.
 */
async function retryFor(seconds = Number.POSITIVE_INFINITY): Promise<void> {
  const end = service.clock.now() + seconds * 1_000;
  for (;;) {
    const webhook = await eventually(async () => {
      const webhook = await stored();
      if (!webhook || webhook.lease) throw new Error('a worker holds the queue');
      const isDue = webhook.due_at && webhook.due_at.getTime() <= service.clock.now();
      if (isDue && webhook.status === 'active') throw new Error('the queue is due');
      return webhook;
    });
    if (webhook.status !== 'active' || !webhook.due_at) return;
    const due = webhook.due_at.getTime();
    const now = service.clock.now();
    if (due > end) return service.clock.advance((end - now) / 1_000);
    const late = Math.min(now + 6 * HOUR * 1_000, published + 2 * DAY * 1_000, end);
    service.clock.advance((Math.max(due, late) - now) / 1_000);
  }
}

async function mailsTo(user_id: string) {
  const user = await service.db.users.findOne({ user_id });
  return service.mailbox.mails.filter(({ recipients }) => recipients.includes(user?.email as string));
}
/** Waits until everybody has been told. */
const told = () => eventually(async () => expect((await stored())?.notice).toBeUndefined());

describe('after three days in which every attempt failed', () => {
  test('a webhook is disabled, its owner gets one mail, and other webhooks of the account an event', async () => {
    const other = await startReceiver();
    const others = await ada.configure({ url: other.url, events: ['webhook.disabled'], name: 'Operations' });
    receiver.answers = [status(500)];
    const began = service.clock.now();
    await publish();
    await retryFor();
    expect((service.clock.now() - began) / 1_000).toBe(3 * DAY);
    await told();

    const disabled_at = at();
    const { body } = await ada.call('GET', `/${webhook_id}`);
    expect(body).toMatchObject({
      status: 'disabled',
      updated_at: disabled_at,
      health: { disabled_reason: 'failing', disabled_at, consecutive_failures: receiver.received.length },
    });

    const [mail, ...more] = await mailsTo(ada.user_id);
    expect(more).toEqual([]);
    expect(mail?.content.subject).toBe('A webhook was disabled');
    for (const content of [mail?.content.text, mail?.content.html]) {
      expect(content).toContain(new URL(receiver.url).host);
      expect(content).toContain('For three days, every attempt to deliver to it has failed.');
      expect(content).toContain(`/webhooks?webhook=${webhook_id}`);
      expect(content).not.toContain('4711');
    }

    await service.settled(others, 'delivered');
    expect(other.received.map(({ body }) => JSON.parse(body))).toStrictEqual([
      {
        event: 'webhook.disabled',
        timestamp: disabled_at,
        data: {
          webhook_id,
          name: null,
          organization_id: null,
          department_id: null,
          reason: 'failing',
          disabled_at,
        },
      },
    ]);
    const audited = await service.db.auditEvents.find({ action: 'webhook.disable' }).toArray();
    expect(audited.filter(({ target }) => target.webhook_id === webhook_id)).toMatchObject([
      { user_id: null, target: { webhook_id, user_id: ada.user_id }, after: { reason: 'failing' } },
    ]);
    await other.stop();
  });

  test('a success restarts the three days', async () => {
    receiver.answers = [status(500)];
    await publish();
    await retryFor(2 * DAY);
    receiver.answers = [status(200)];
    await publish();
    await service.settled(webhook_id, 'delivered', 'pending');
    await retryFor();
    receiver.answers = [status(500)];
    await publish();
    await retryFor(2 * DAY);
    expect((await stored())?.status).toBe('active');
    await retryFor();
    expect((await stored())?.disabled).toEqual({ reason: 'failing', at: new Date(service.clock.now()) });
    await told();
    expect(await mailsTo(ada.user_id)).toHaveLength(1);
  });

  test('activating the webhook restarts them and sends pending deliveries', async () => {
    receiver.answers = [status(500)];
    await publish();
    await retryFor();
    await told();
    const { body } = await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    expect(body).toMatchObject({
      status: 'active',
      health: { disabled_reason: null, disabled_at: null, consecutive_failures: 0 },
    });
    await publish();
    await retryFor(DAY);
    expect((await stored())?.status).toBe('active');
    await retryFor();
    expect((await stored())?.status).toBe('disabled');
    await told();
    expect(await mailsTo(ada.user_id)).toHaveLength(2);
    receiver.answers = [];
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    await publish();
    await service.settled(webhook_id, 'delivered', 'failed');
  });

  test.each([
    ['another URL', { url: 'http://127.0.0.1:9/' }],
    ['a pause', { status: 'paused' }],
  ])('%s in between begins them anew', async (_what, change) => {
    receiver.answers = [status(500)];
    await publish();
    await retryFor(2 * DAY);
    expect((await stored())?.health?.failing_since).not.toBeNull();
    await ada.call('PATCH', `/${webhook_id}`, change);
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    await retryFor(1.5 * DAY);
    expect((await stored())?.status).toBe('active');
    await ada.call('DELETE', `/${webhook_id}`);
  });

  test('the worker that holds the queue does not overwrite a reset of the count', async () => {
    const answered = Promise.withResolvers<void>();
    receiver.answers = [status(500)];
    await publish();
    await retryFor(DAY);
    receiver.answers = [
      async (response) => {
        await answered.promise;
        response.writeHead(500).end();
      },
    ];
    const tried = receiver.received.length;
    await eventually(() => {
      service.clock.advance(HOUR);
      expect(receiver.received.length).toBeGreaterThan(tried);
    });
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' });
    const since = new Date(service.clock.now());
    answered.resolve();
    await eventually(async () =>
      expect((await stored())?.health).toMatchObject({ failing_since: since, consecutive_failures: 1 }),
    );
    await ada.call('DELETE', `/${webhook_id}`);
  });
});

test('a 410 notifies the owner immediately', async () => {
  receiver.answers = [status(410)];
  await publish();
  await eventually(async () => expect((await stored())?.status).toBe('disabled'));
  await told();
  const [mail, ...more] = await mailsTo(ada.user_id);
  expect(more).toEqual([]);
  expect(mail?.content.text).toContain('The receiver answered 410 Gone, which asks us to send nothing more.');
  expect((await ada.call('GET', `/${webhook_id}/health`)).body).toMatchObject({
    status: 'disabled',
    disabled_reason: 'gone',
    disabled_at: at(),
    consecutive_failures: 1,
  });
});

test('the owner of a disabled account gets no mail', async () => {
  receiver.answers = [
    async (response) => {
      await service.db.users.updateOne({ user_id: ada.user_id }, { $set: { account_status: 'disabled' } });
      response.writeHead(410).end();
    },
  ];
  await publish();
  await eventually(async () => expect((await stored())?.status).toBe('disabled'));
  await told();
  expect(await mailsTo(ada.user_id)).toEqual([]);
});

test("a department's webhook: the Owners get the mail, and the webhooks of the department the event", async () => {
  const [admin, departmentOwner, disabled] = await Promise.all([
    service.person(),
    service.person(),
    newMember(service.db, { account_status: 'disabled' }),
  ]);
  const [place, elsewhere] = await service.organization(ada, 'Engines', 'Compilers');
  if (!place || !elsewhere) throw new Error('no departments');
  const { organization_id } = place;
  await service.join(admin, place, 'Admin');
  await service.join(departmentOwner, place, 'Owner');
  await service.db.organizations.updateOne(
    { organization_id },
    { $push: { owners: { user_id: disabled.user_id as string, granted_by: ada.user_id, granted_at: at() } } },
  );
  const other = await startReceiver();
  const listening = { url: other.url, events: ['webhook.disabled'] };
  const heard = [
    await ada.configure({ ...listening, organization_id }),
    await ada.configure({ ...listening, department_id: place.department_id }),
  ];
  await ada.configure({ ...listening, department_id: elsewhere.department_id });
  await ada.configure(listening);
  webhook_id = await admin.configure({ url: receiver.url, department_id: place.department_id });
  receiver.answers = [status(410)];
  const { db, clock } = service;
  const accept = acceptOnly({ db, now: clock.now });
  await accept({
    id: `shared_${webhook_id}`,
    event: 'conversation.started',
    audience: { owner_id: null, ...place, chatbot_id: null },
    data: {},
  });
  await eventually(async () => expect((await stored())?.status).toBe('disabled'));
  await told();
  for (const { user_id } of [ada, departmentOwner]) expect(await mailsTo(user_id)).toHaveLength(1);
  for (const user_id of [admin.user_id, disabled.user_id])
    expect(await mailsTo(user_id as string)).toEqual([]);
  for (const id of heard) await service.settled(id, 'delivered');
  expect(other.received.map(({ body }) => JSON.parse(body).data)).toMatchObject([
    { webhook_id, ...place },
    { webhook_id, ...place },
  ]);
  await other.stop();
});
