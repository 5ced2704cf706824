import type { IncomingEvent } from '@gatehouse/webhooks/accept';
import type { WebhookHost } from '@gatehouse/webhooks/host';
import type { FastifyBaseLogger } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOwnerNotifier } from '../../../packages/webhooks/delivery/notify-owners.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { newMember } from '../../fixtures/members.ts';
import { hostOf } from '../host.ts';
import { storedWebhook } from '../stored-webhook.ts';

const clock = testClock();
const place = { organization_id: 'organization-1', department_id: null };

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let owners: { user_id: string; email: string }[];
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
  const users = await Promise.all(Array.from({ length: 25 }, () => newMember(database.db)));
  owners = users.map(({ user_id, email }) => ({ user_id: user_id as string, email }));
});
afterAll(() => database.drop());

let webhook_id: string;
let webhooks = 0;
let mailed: string[];
/** Addresses whose mail server does not answer. */
let unreachable: Set<string>;
let published: IncomingEvent[];
beforeEach(async () => {
  const { db } = database;
  webhooks += 1;
  webhook_id = `webhook-${webhooks}`;
  mailed = [];
  unreachable = new Set();
  published = [];
  const at = new Date(clock.now());
  await db.organizations.deleteMany({});
  await db.budgets.deleteMany({});
  await db.organizations.insertOne({
    ...place,
    name: 'Engines',
    owners: owners.slice(0, 3).map(({ user_id }) => ({ user_id, granted_by: user_id, granted_at: '' })),
    created_at: at.toISOString(),
  });
  await db.webhooks.insertOne(
    storedWebhook({
      webhook_id,
      ...place,
      url: 'https://app.example.com/key/4711',
      events: ['payment.failed'],
      status: 'disabled',
      notice: { due: at, reason: 'gone', at },
    }),
  );
});

/** A process that tells owners. */
function teller(mailer: Partial<WebhookHost['mailer']> = {}, db = database.db) {
  const log = { info: () => {}, warn: () => {}, error: () => {} } as unknown as FastifyBaseLogger;
  return createOwnerNotifier({
    db,
    now: clock.now,
    log,
    accept: async (event) => {
      published.push(event);
      return 'accepted';
    },
    interval: 5_000,
    host: hostOf(db, {
      sendWebhookDisabled: async ({ email }) => {
        if (unreachable.has(email)) throw new Error('connection refused');
        mailed.push(email);
      },
      ...mailer,
    }),
  });
}
async function run(...tellers: ReturnType<typeof teller>[]): Promise<void> {
  for (const each of tellers) each.wake();
  await Promise.all(tellers.map((each) => each.stop()));
}
const notice = async () => (await database.db.webhooks.findOne({ webhook_id }))?.notice;
const addresses = (count: number) => owners.slice(0, count).map(({ email }) => email);

test('two concurrent processes send one mail to each Owner', async () => {
  const first = teller();
  const second = teller();
  first.wake();
  second.wake();
  await eventually(async () => expect(await notice()).toBeUndefined());
  await Promise.all([first.stop(), second.stop()]);
  expect(mailed.toSorted()).toEqual(addresses(3).toSorted());
  expect(published).toHaveLength(1);
});

test('at most twenty Owners get a mail', async () => {
  await database.db.organizations.updateOne(
    place.organization_id ? { organization_id: place.organization_id } : {},
    {
      $set: { owners: owners.map(({ user_id }) => ({ user_id, granted_by: user_id, granted_at: '' })) },
    },
  );
  const process = teller();
  process.wake();
  await eventually(async () => expect(await notice()).toBeUndefined());
  await process.stop();
  expect(mailed).toHaveLength(20);
});

test('retries the mail of one Owner without a second mail to the others', async () => {
  unreachable.add(owners[1]?.email as string);
  const process = teller();
  process.wake();
  await eventually(async () => expect((await notice())?.recipients).toEqual([owners[1]?.user_id]));
  await process.stop();
  expect(mailed.toSorted()).toEqual([addresses(3)[0], addresses(3)[2]].toSorted());
  unreachable.clear();
  // Nobody looks before the lease of the process is over.
  await run(teller());
  expect(mailed).toHaveLength(2);
  clock.advance(60);
  const next = teller();
  next.wake();
  await eventually(async () => expect(await notice()).toBeUndefined());
  await next.stop();
  expect(mailed.toSorted()).toEqual(addresses(3).toSorted());
  expect(new Set(published.map(({ id }) => id)).size).toBe(1);
});

test('another process continues where a killed one stopped', async () => {
  const killed = teller({
    sendWebhookDisabled: async ({ email }) => {
      if (email === owners[0]?.email) mailed.push(email);
      else await new Promise(() => {});
    },
  });
  killed.wake();
  await eventually(async () => expect((await notice())?.recipients).toHaveLength(2));
  clock.advance(60);
  const next = teller();
  next.wake();
  await eventually(async () => expect(await notice()).toBeUndefined());
  await next.stop();
  expect(mailed.toSorted()).toEqual(addresses(3).toSorted());
});

test('a webhook that is disabled repeatedly mails each Owner at most ten times a day', async () => {
  const disableAgain = async () => {
    clock.advance(1);
    const at = new Date(clock.now());
    await database.db.webhooks.updateOne(
      { webhook_id },
      { $set: { notice: { due: at, reason: 'gone', at } } },
    );
    const process = teller();
    process.wake();
    await eventually(async () => expect(await notice()).toBeUndefined());
    await process.stop();
  };
  for (let turn = 0; turn < 12; turn += 1) await disableAgain();
  expect(mailed).toHaveLength(10 * 3);
  expect(published).toHaveLength(12);
  clock.advance(86_400);
  await disableAgain();
  expect(mailed).toHaveLength(11 * 3);
});

test('gives up after three days', async () => {
  unreachable = new Set(addresses(3));
  clock.advance(3 * 86_400);
  const process = teller();
  process.wake();
  await eventually(async () => expect(await notice()).toBeUndefined());
  await process.stop();
  expect(mailed).toEqual([]);
});
