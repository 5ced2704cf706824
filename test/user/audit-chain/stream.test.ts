import { once } from 'node:events';
import { newRegistry } from '@gatehouse/shared/http/metrics';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCollectorClient } from '../../../services/user/audit-chain/stream/client.ts';
import { measureLag } from '../../../services/user/audit-chain/stream/lag.ts';
import { otlpReceiver } from '../../../services/user/audit-chain/stream/otlp.ts';
import type { Receiver as Collector } from '../../../services/user/audit-chain/stream/receiver.ts';
import { streamTo } from '../../../services/user/audit-chain/stream/stream.ts';
import { webhookReceiver } from '../../../services/user/audit-chain/stream/webhook.ts';
import { holdResponses, type Receiver, startReceiver, status } from '../../fixtures/receiver.ts';
import { asService } from '../../fixtures/scans/watch.ts';
import { type AuditTrail, auditTrail, silent, twoDays } from './audit-trail.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let trail: AuditTrail;
let receiver: Receiver;
let webhook: Collector;
let client: ReturnType<typeof createCollectorClient>;
beforeEach(async () => {
  trail = await auditTrail();
  receiver = await startReceiver();
  webhook = webhookReceiver(`${receiver.url}/audit`, SECRET);
  client = createCollectorClient(trail.clock.now);
});
afterEach(async () => {
  await client.close();
  await receiver.stop();
  await trail.drop();
});

const stream = (collector: Collector = webhook, send = client.send) =>
  asService(() => streamTo({ db: trail.db, send, now: trail.clock.now, log: silent }, collector));
const store = async (count: number) => {
  for (let index = 0; index < count; index += 1)
    await trail.store({ action: 'login', email: 'ada@example.com', user_id: 'User-1' });
  await trail.link();
  await trail.link();
};
/** The positions in each request. */
const positions = () =>
  receiver.received.map(({ body }) =>
    JSON.parse(body).data.events.map(({ chain }: { chain: { position: number } }) => chain.position),
  );

test('a webhook gets the events in order, signed, with their place in the chain', async () => {
  const events = await twoDays(trail);
  await stream();
  expect(positions()).toEqual([[1, 2, 3, 4, 5, 6]]);
  const [{ body, headers } = { body: '{}', headers: {} }] = receiver.received;
  const signature = new Webhook(SECRET).sign('audit_1-6', new Date(trail.clock.now()), body);
  expect(headers).toMatchObject({ 'webhook-id': 'audit_1-6', 'webhook-signature': signature });
  const sent = JSON.parse(body);
  const [first] = await trail.db.auditChain.find({ _id: 1 }).toArray();
  const [event] = events;
  expect(sent).toMatchObject({
    type: 'audit.events',
    timestamp: new Date(trail.clock.now()).toISOString(),
  });
  expect(sent.data.events[0]).toEqual({
    event_id: event?.event_id,
    at: event?.at.toISOString(),
    action: 'login',
    event: {
      event_id: event?.event_id,
      at: event?.at.toISOString(),
      action: 'login',
      outcome: 'success',
      actor: { user_id: 'User-1', email: 'ada@example.com' },
      target: {},
      before: null,
      after: null,
      organization_id: null,
      department_id: null,
      address: '198.51.100.7',
      request_id: 'job',
    },
    chain: { position: 1, day: '2126-01-17', link: first?.link },
  });
  // Nothing twice.
  await stream();
  expect(receiver.received).toHaveLength(1);
});

test('a collector gets OTLP logs in JSON, with the headers of the setting', async () => {
  await trail.store({
    action: 'login',
    email: 'ada@example.com',
    user_id: 'User-1',
    outcome: 'Invalid password',
  });
  await trail.link();
  const [event] = await trail.db.auditEvents.find({ action: 'login' }).toArray();
  const [link] = await trail.db.auditChain.find({ _id: 1 }).toArray();
  await stream(otlpReceiver(`${receiver.url}/v1/logs`, { authorization: 'Bearer abc' }));
  const [{ body, headers } = { body: '{}', headers: {} }] = receiver.received;
  expect(headers).toMatchObject({ authorization: 'Bearer abc', 'content-type': 'application/json' });
  const text = (key: string, stringValue: unknown) => ({ key, value: { stringValue } });
  const nanoseconds = `${event?.at.getTime()}000000`;
  expect(JSON.parse(body)).toEqual({
    resourceLogs: [
      {
        resource: { attributes: [text('service.name', 'gatehouse')] },
        scopeLogs: [
          {
            scope: { name: 'gatehouse.audit' },
            logRecords: [
              {
                timeUnixNano: nanoseconds,
                observedTimeUnixNano: nanoseconds,
                severityNumber: 13,
                severityText: 'WARN',
                eventName: 'gatehouse.audit.login',
                body: { stringValue: 'login: Invalid password' },
                attributes: [
                  text('gatehouse.audit.event_id', event?.event_id),
                  text('gatehouse.audit.action', 'login'),
                  text('gatehouse.audit.outcome', 'Invalid password'),
                  text('user.id', 'User-1'),
                  text('user.email', 'ada@example.com'),
                  text('gatehouse.audit.target', '{}'),
                  text('gatehouse.request_id', 'job'),
                  { key: 'gatehouse.audit.chain.position', value: { intValue: '1' } },
                  text('gatehouse.audit.chain.day', '2126-01-17'),
                  text('gatehouse.audit.chain.link', link?.link),
                ],
              },
            ],
          },
        ],
      },
    ],
  });
});

describe('a failure', () => {
  test('keeps the events, and waits longer each time, up to five minutes', async () => {
    receiver.answers = [status(503)];
    await store(1);
    const waits: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      await stream();
      const work = await trail.db.auditLeases.findOne({ _id: 'stream to webhook' });
      const wait = ((work?.until.getTime() ?? 0) - trail.clock.now()) / 1000;
      waits.push(wait);
      // Not before its time.
      await stream();
      expect(receiver.received).toHaveLength(attempt + 1);
      trail.clock.advance(wait);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    receiver.answers = [];
    await stream();
    await store(1);
    await stream();
    expect(positions().slice(-2)).toEqual([[1], [2]]);
    expect(await trail.db.auditLeases.findOne({ _id: 'stream to webhook' })).toMatchObject({
      position: 2,
      failures: 0,
    });
  });

  test.each([400, 401, 404, 500, 302])('with status %i loses nothing', async (code) => {
    receiver.answers = [status(code), status(200)];
    await store(2);
    await stream();
    trail.clock.advance(1);
    await stream();
    expect(positions()).toEqual([
      [1, 2],
      [1, 2],
    ]);
  });

  test('by size makes the batches smaller', async () => {
    receiver.answers = [status(413), status(413), status(200)];
    await store(4);
    await stream();
    expect(positions()).toEqual([[1, 2, 3, 4], [1, 2], [1], [2, 3, 4]]);
  });
});

test('a kill between the answer and the cursor repeats the batch under its id', async () => {
  await store(3);
  const killed: typeof client.send = async (request) => {
    await client.send(request);
    throw new Error('killed');
  };
  await expect(stream(webhook, killed)).rejects.toThrow('killed');
  await stream();
  expect(receiver.received).toHaveLength(1);
  trail.clock.advance(30);
  await stream();
  expect(positions()).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect(receiver.ids()).toEqual(['audit_1-3', 'audit_1-3']);
});

test('of two processes one sends', async () => {
  const held = holdResponses();
  receiver.answers = [held.answer];
  await store(2);
  const arrived = once(receiver.server, 'request');
  const first = stream();
  await arrived;
  await stream();
  held.release();
  await first;
  expect(positions()).toEqual([[1, 2]]);
});

test('an event that was removed before it was sent is reported so', async () => {
  await store(1);
  await trail.db.auditEvents.deleteMany({});
  await stream();
  expect(JSON.parse(receiver.received[0]?.body ?? '').data.events).toMatchObject([
    { action: 'login', event: null, chain: { position: 1 } },
  ]);
});

test('a metric shows how far a collector is behind', async () => {
  const metrics = newRegistry();
  measureLag(metrics, trail.db, [webhook], trail.clock.now);
  const lag = async () =>
    (await metrics.getSingleMetricAsString('audit_stream_lag_seconds')).split('\n').at(-1);
  expect(await lag()).toBe('audit_stream_lag_seconds{to="webhook"} 0');
  await store(1);
  trail.clock.advance(60);
  expect(await lag()).toBe('audit_stream_lag_seconds{to="webhook"} 60');
  await stream();
  expect(await lag()).toBe('audit_stream_lag_seconds{to="webhook"} 0');
});
