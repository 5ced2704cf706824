import { beforeEach, expect, test } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { status } from '../../fixtures/receiver.ts';
import { conversation } from '../event-samples.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

let webhook_id: string;
withWebhooks();
withAda();
beforeEach(async () => {
  webhook_id = await ada.configure({ url: receiver.url });
});

const setStatus = (account_status: 'active' | 'paused' | 'disabled') =>
  service.db.users.updateOne({ user_id: ada.user_id }, { $set: { account_status } });
const publish = async () => {
  const event = conversation(ada.user_id);
  expect((await service.publish(event)).body).toStrictEqual({ accepted: [event.id], known: [] });
  return event.id;
};

test.each(['disabled', 'paused'] as const)(
  'a %s account gets no events, and goes on from then',
  async (was) => {
    await setStatus(was);
    const missed = await publish();
    await setStatus('active');
    const heard = await publish();
    await service.settled(webhook_id, 'delivered');
    expect(receiver.ids()).toEqual([heard]);
    expect((await service.publish({ ...conversation(ada.user_id), id: missed })).status).toBe(409);
  },
);

test('a deleted account gets no events', async () => {
  await service.db.users.deleteOne({ user_id: ada.user_id });
  await publish();
  expect(await service.db.webhookDeliveries.countDocuments({ webhook_id })).toBe(0);
});

test('pending deliveries of a disabled account wait until it is active again', async () => {
  receiver.answers = [status(500)];
  const waiting = await publish();
  await service.settled(webhook_id, 'pending');
  await setStatus('disabled');
  service.clock.advance(5);
  const later = () => new Date(service.clock.now() + 30_000);
  await eventually(async () =>
    expect(await service.stored(webhook_id)).toMatchObject({ lease: null, due_at: later() }),
  );
  expect(receiver.received).toHaveLength(1);
  receiver.answers = [];
  await setStatus('active');
  service.clock.advance(30);
  await service.settled(webhook_id, 'delivered');
  expect(receiver.ids()).toEqual([waiting, waiting]);
});

test('a new event after the account is active again also sends pending deliveries', async () => {
  receiver.answers = [status(500)];
  const waiting = await publish();
  await service.settled(webhook_id, 'pending');
  await setStatus('disabled');
  service.clock.advance(5);
  const later = () => new Date(service.clock.now() + 30_000);
  await eventually(async () => expect((await service.stored(webhook_id))?.due_at).toEqual(later()));
  receiver.answers = [];
  await setStatus('active');
  const next = await publish();
  await service.settled(webhook_id, 'delivered');
  expect(receiver.ids()).toEqual([waiting, waiting, next]);
});

test('a shared webhook continues when its creator is disabled or deleted', async () => {
  const [place] = await service.organization(ada, 'Support');
  const shared = await ada.configure({ url: receiver.url, ...place });
  await setStatus('disabled');
  const one = conversation('User-999999', place);
  await service.publish(one);
  await service.settled(shared, 'delivered');
  await service.db.users.deleteOne({ user_id: ada.user_id });
  const two = conversation('User-999999', place);
  await service.publish(two);
  await service.settled(shared, 'delivered');
  expect(receiver.ids()).toEqual([one.id, two.id]);
});
