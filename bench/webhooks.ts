import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from '@gatehouse/shared/data/connect';
import { Pool } from 'undici';
import { payloadOf } from '../packages/webhooks/events.ts';
import { COLLECTIONS } from '../services/user/database.ts';
import { postJson, send } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { bearer, createAccount, PERSON } from './account.ts';
import { startPeer } from './peer.ts';
import { compare, LIMITS } from './report.ts';

const SECONDS = 4;
/** Events in one call, and parallel calls. */
const BATCH = 50;
const PUBLISHERS = 8;
const WAITING = 100_000;

const INTERNAL_API_KEY = randomBytes(32).toString('hex');
const timestamp = '2026-01-15T09:30:00.000Z';
const data = { conversation_id: 'conv-1', chatbot_id: 'bot-1', user_id: 'visitor-1', started_at: timestamp };
const event = 'conversation.started';

let published = 0;
const events = (owner_id: string, count: number) =>
  Array.from({ length: count }, () => {
    published += 1;
    return { id: `bench_${published}`, event, owner_id, timestamp, data };
  });

/** Events accepted and delivered by one user service, relative to a loop that only POSTs the same bytes. */
export async function webhooks(): Promise<void> {
  const receiver = await startPeer('receiver');
  const gatehouse = await launch({
    env: { LOG_LEVEL: 'warn', WEBHOOK_ALLOW_PRIVATE: 'on', INTERNAL_API_KEY },
  });
  try {
    await gatehouse.up;
    await createAccount(gatehouse.mongodb);
    const authorization = await bearer(gatehouse.login);
    for (const hook of [
      { url: `${receiver.url}/hooks`, events: [event] },
      { url: `${receiver.url}/hang`, events: ['payment.failed'] },
    ]) {
      const body = { ...hook, secret: 'a secret of the bench' };
      const { status } = await postJson(`${gatehouse.user}/api/v1/webhooks/configure`, body, {
        authorization,
      });
      if (status !== 201) throw new Error(`configure answered ${status}`);
    }
    const received = async () => Number((await send(receiver.url)).body);
    const pool = new Pool(gatehouse.user);
    const publish = async (count: number) => {
      const { statusCode, body } = await pool.request({
        path: '/internal/events',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${INTERNAL_API_KEY}` },
        body: JSON.stringify(events(PERSON.user_id, count)),
      });
      if (statusCode !== 200) throw new Error(await body.text());
      await body.dump();
    };

    /** Publishes as fast as events are accepted, then waits for the last delivery. @returns events a second. */
    const delivering = async () => {
      const before = await received();
      const began = performance.now();
      let count = 0;
      const publisher = async () => {
        while (performance.now() < began + SECONDS * 1000) {
          await publish(BATCH);
          count += BATCH;
        }
      };
      await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
      while ((await received()) < before + count) await new Promise((resolve) => setTimeout(resolve, 20));
      return count / ((performance.now() - began) / 1000);
    };
    const posting = async () => {
      const payload = payloadOf(event, timestamp, data);
      const peer = await startPeer('post-loop', `${receiver.url}/hooks`, String(SECONDS), payload);
      const [rate] = await once(peer.output, 'data');
      return Number(rate);
    };
    await compare('webhooks', {
      chart: LIMITS,
      unit: 'events/s',
      rounds: 3,
      measures: { 'a POST alone': posting, 'an event, published and delivered': delivering },
      ratios: [{ of: 'an event, published and delivered', over: 'a POST alone', goal: 0.3 }],
    });

    /** Milliseconds from publishing one event to its delivery. */
    const one = async () => {
      const before = await received();
      const began = performance.now();
      await publish(1);
      while ((await received()) === before) await new Promise((resolve) => setTimeout(resolve, 1));
      return performance.now() - began;
    };
    const fresh = async () => {
      const times: number[] = [];
      for (let index = 0; index < 51; index += 1) times.push(await one());
      return times.sort((a, b) => a - b)[25] as number;
    };
    const alone = await fresh();
    await park(gatehouse.mongodb);
    const beside = await fresh();
    console.log(`  a fresh event  ${alone.toFixed(1)} ms`);
    console.log(
      `  with ${WAITING.toLocaleString('en')} others waiting ${beside.toFixed(1)} ms, ${(beside / alone).toFixed(2)} times as long`,
    );
    await pool.close();
  } finally {
    receiver.stop();
    await gatehouse.stop();
  }
}

/** Adds pending deliveries: half for the same webhook and due later, half for a receiver that hangs and due now. */
async function park(mongodb: string): Promise<void> {
  const db = await connect(mongodb, COLLECTIONS, { appName: 'bench' });
  const [, hanging] = await db.webhooks.find().sort({ slot: 1 }).toArray();
  const delivery = await db.webhookDeliveries.findOne({});
  if (!hanging || !delivery) throw new Error('nothing was delivered');
  const later = new Date(Date.now() + 3_600_000);
  for (let made = 0; made < WAITING; made += 5_000) {
    await db.webhookDeliveries.insertMany(
      Array.from({ length: 5_000 }, (_, index) => {
        const _id = `waiting_${made + index}`;
        const waiting = { ...delivery, _id, delivery_id: _id, status: 'pending' as const };
        return index % 2
          ? { ...waiting, due: later }
          : { ...waiting, webhook_id: hanging.webhook_id, event: 'payment.failed', due: new Date() };
      }),
    );
  }
  await db.webhooks.updateOne({ webhook_id: hanging.webhook_id }, { $set: { due_at: new Date() } });
  await db.close();
}
