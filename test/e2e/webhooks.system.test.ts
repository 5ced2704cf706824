import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@gatehouse/shared/data/connect';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { COLLECTIONS, type Database } from '../../services/user/database.ts';
import { dropDatabase, freshMongodbUri } from '../fixtures/database.ts';
import { eventually } from '../fixtures/eventually.ts';
import { postJson } from '../fixtures/http.ts';
import { freePorts } from '../fixtures/launcher.ts';
import { bearerOf, newMember } from '../fixtures/members.ts';
import { standaloneDatabase } from '../fixtures/mongodb.ts';
import { createProcesses } from '../fixtures/processes.ts';
import { type Receiver, startReceiver } from '../fixtures/receiver.ts';
import { JWT_SECRET } from '../fixtures/services.ts';
import { conversation } from '../webhooks/event-samples.ts';
import { INTERNAL_API_KEY, SECRET } from '../webhooks/webhook-service.ts';

/** Two user services on one database. The tests kill these processes and start them again. */
const SCRIPTS = {
  database: 'packages/minimongod/src/main.ts',
  one: 'services/user/main.ts',
  two: 'services/user/main.ts',
};
type Part = keyof typeof SCRIPTS;

let folder: string;
let ports: Record<Part, number>;
let db: Database;
let receiver: Receiver;
let owner_id: string;
let webhook_id: string;

let mongodb: string;
const url = (part: Part) => `http://127.0.0.1:${ports[part]}`;
const { start, end, signal, isRunning } = createProcesses<Part>((part) => ({
  script: SCRIPTS[part],
  args: part === 'database' ? ['--port', String(ports.database), '--data', join(folder, 'e2e.sqlite')] : [],
  env: {
    LOG_LEVEL: 'warn',
    MONGODB_URI: mongodb,
    JWT_SECRET,
    INTERNAL_API_KEY,
    WEBHOOK_ALLOW_PRIVATE: 'on',
    USER_PORT: String(ports[part]),
  },
}));
const publish = (body: unknown, at: Part = 'one') =>
  postJson(`${url(at)}/internal/events`, body, { authorization: `Bearer ${INTERNAL_API_KEY}` });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-webhooks-'));
  const [database = 0, one = 0, two = 0] = await freePorts(3);
  ports = { database, one, two };
  if (standaloneDatabase) {
    mongodb = `mongodb://127.0.0.1:${database}/gatehouse`;
    await start('database');
  } else mongodb = await freshMongodbUri();
  await Promise.all([start('one'), start('two')]);
  db = await connect(mongodb, COLLECTIONS, { appName: 'test' });
});
beforeEach(async () => {
  for (const part of ['one', 'two'] as const) if (!isRunning(part)) await start(part);
  receiver = await startReceiver();
  const user = await newMember(db);
  owner_id = String(user.user_id);
  const headers = { authorization: bearerOf(user, Date.now()) };
  const hook = { url: receiver.url, events: ['conversation.started'], secret: SECRET };
  const { body } = await postJson(`${url('one')}/api/v1/webhooks/configure`, hook, headers);
  webhook_id = body.webhook_id;
});
afterEach(() => receiver.stop());
afterAll(async () => {
  await db.close();
  for (const part of ['one', 'two', 'database'] as const) await end(part);
  if (!standaloneDatabase) await dropDatabase(mongodb);
  await rm(folder, { recursive: true, maxRetries: 5 });
});

/** Lets the lease of a killed worker expire now instead of in a few seconds. */
async function expireLease(): Promise<void> {
  const webhook = await db.webhooks.findOneAndUpdate({ webhook_id }, { $set: { due_at: new Date() } });
  expect(webhook?.lease).toEqual(expect.any(String));
  expect(Number(webhook?.due_at)).toBeLessThanOrEqual(Date.now() + 5_000);
}

const states = async () =>
  (await db.webhookDeliveries.find({ webhook_id }).toArray()).map(({ status }) => status);
const allDelivered = (count: number) =>
  eventually(async () => expect(await states()).toEqual(Array(count).fill('delivered')));

test('after a worker is killed between sending and recording, another sends the same id and bytes', async () => {
  const events = Array.from({ length: 5 }, () => conversation(owner_id));
  let killed: Promise<unknown> | undefined;
  receiver.answers = [
    (response) => {
      // The worker holds the lease and has sent, and never sees the response.
      killed ??= eventually(async () =>
        expect((await db.webhooks.findOne({ webhook_id }))?.lease).not.toBeNull(),
      )
        .then(() => end('one'))
        .then(expireLease)
        .finally(() => {
          response.end();
          signal('two', 'SIGCONT');
        });
    },
    (response) => void response.end(),
  ];
  // Only the first worker can claim the queue. The ping returns after any claim that the second one sent before.
  signal('two', 'SIGSTOP');
  await db.ping();
  await publish(events);
  await allDelivered(5);
  await killed;
  const [first] = receiver.received;
  const again = receiver.received.filter(({ headers }) => headers['webhook-id'] === events[0]?.id);
  // At least once: on a starved machine a lease may expire, and the worker sends again.
  expect(again.length).toBeGreaterThanOrEqual(2);
  expect(new Set(again.map(({ body }) => body))).toStrictEqual(new Set([first?.body]));
  expect(new Set(receiver.ids())).toEqual(new Set(events.map(({ id }) => id)));
});

test('after SIGTERM, attempts in flight are recorded and another worker sends the rest', async () => {
  const events = Array.from({ length: 50 }, () => conversation(owner_id));
  receiver.answers = [(response) => void setTimeout(() => response.end(), 50)];
  await publish(events);
  await eventually(() => expect(receiver.received.length).toBeGreaterThan(3));
  expect(await end('one', 'SIGTERM')).toBe(0);
  await allDelivered(50);
  expect(receiver.ids().toSorted()).toEqual(events.map(({ id }) => id).toSorted());
});

test.runIf(standaloneDatabase)(
  'a database that is killed and restarted loses no accepted event',
  async () => {
    const events = Array.from({ length: 40 }, () => conversation(owner_id));
    receiver.answers = [(response) => void setTimeout(() => response.end(), 5)];
    expect((await publish(events.slice(0, 20))).status).toBe(200);
    await end('database');
    const during = publish(events.slice(20));
    await start('database');
    expect([200, 503]).toContain((await during).status);
    await eventually(async () => expect((await publish(events.slice(20), 'two')).status).toBe(200));
    // Usually at once. If the driver waits on a dead connection, after the engine's own timeout and the lease.
    await allDelivered(40);
    expect(new Set(receiver.ids())).toEqual(new Set(events.map(({ id }) => id)));
  },
);
