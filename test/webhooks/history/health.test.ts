import { beforeEach, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
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

const at = () => new Date(service.clock.now()).toISOString();
const health = () => ada.call('GET', `/${webhook_id}/health`);
const publish = (count: number) =>
  service.publish(Array.from({ length: count }, () => conversation(ada.user_id)));

const UNUSED = {
  status: 'active',
  success_rate: null,
  attempts: { delivered: 0, failed: 0 },
  last_success_at: null,
  last_failure_at: null,
  consecutive_failures: 0,
  failing_since: null,
  backlog: 0,
  oldest_pending_at: null,
  disabled_reason: null,
  disabled_at: null,
};

test('is empty before the first attempt', async () => {
  expect(outcome(await health())).toStrictEqual({ status: 200, body: UNUSED });
});

test('counts attempts, failures and the backlog', async () => {
  receiver.answers = [status(200), status(200), status(200), status(500)];
  await publish(3);
  await service.settled(webhook_id, 'delivered');
  const last_success_at = at();
  service.clock.advance(60);
  await publish(1);
  await service.settled(webhook_id, 'delivered', 'pending');
  const failed = at();
  const expected = {
    ...UNUSED,
    success_rate: 0.75,
    attempts: { delivered: 3, failed: 1 },
    last_success_at,
    last_failure_at: failed,
    consecutive_failures: 1,
    failing_since: failed,
    backlog: 1,
    oldest_pending_at: failed,
  };
  expect((await health()).body).toStrictEqual(expected);
  const { last_failure_at, consecutive_failures, disabled_reason, disabled_at } = expected;
  const short = { last_success_at, last_failure_at, consecutive_failures, disabled_reason, disabled_at };
  expect((await ada.call('GET', `/${webhook_id}`)).body.health).toEqual(short);
  expect((await ada.call('GET', '')).body.data[0].health).toEqual(short);

  receiver.answers = [];
  service.clock.advance(60);
  await service.settled(webhook_id, 'delivered');
  expect((await health()).body).toStrictEqual({
    ...UNUSED,
    success_rate: 0.8,
    attempts: { delivered: 4, failed: 1 },
    last_success_at: at(),
    last_failure_at: failed,
  });
  service.clock.advance(86_400);
  expect((await health()).body).toMatchObject({ success_rate: null, attempts: { delivered: 0, failed: 0 } });
});

test('a test event is not counted', async () => {
  receiver.answers = [status(500)];
  await ada.call('POST', `/${webhook_id}/test`);
  expect((await health()).body).toStrictEqual(UNUSED);
});

test('counts every attempt once with 60 deliveries, some of which fail', async () => {
  receiver.answers = Array.from({ length: 50 }, (_, index) => status(index % 5 === 4 ? 503 : 200));
  receiver.answers.push(status(200));
  receiver.received.length = 0;
  await publish(60);
  await eventually(async () => {
    service.clock.advance(5);
    await service.settled(webhook_id, 'delivered', 'pending');
    expect((await health()).body.backlog).toBe(0);
  }, 50);
  expect((await health()).body).toMatchObject({
    success_rate: expect.closeTo(60 / 70, 4),
    attempts: { delivered: 60, failed: 10 },
    consecutive_failures: 0,
  });
  expect(receiver.received).toHaveLength(70);
});

test("returns 404 for another account's webhook", async () => {
  const bob = await service.person();
  const answer = await bob.call('GET', `/${webhook_id}/health`);
  expect(outcome(answer)).toStrictEqual(service.failure(answer, 404, 'RESOURCE_NOT_FOUND', 'Not found'));
});
