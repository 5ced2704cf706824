import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Gatehouse, startGatehouse } from '@gatehouse/testing';
import { createGatehouse, memoryStorage, unwrap } from 'gatehouse';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../fixtures/eventually.ts';
import { freePorts } from '../fixtures/launcher.ts';
import { startExample } from './start-example.ts';

const WEBHOOK_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

let gate: Gatehouse;
let folder: string;
let env: Record<string, string>;
let worker: Awaited<ReturnType<typeof startExample>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-worker-'));
  const [port] = await freePorts(1);
  env = { PORT: String(port), WEBHOOK_SECRET, DATABASE: join(folder, 'worker.db') };
  worker = await startExample('webhook-worker/worker.ts', env);
  gate = await startGatehouse({ env: { WEBHOOK_PORTS: String(port) } });
});
afterAll(async () => {
  await gate?.stop();
  await worker?.stop();
  await rm(folder, { recursive: true });
});

function counts() {
  const db = new DatabaseSync(env.DATABASE as string, { readOnly: true });
  const rows = db.prepare('SELECT user_id, number FROM chatbots').all();
  db.close();
  return rows.map((row) => ({ ...row }));
}

test('handles an event once, however often it arrives, also after a restart', async () => {
  const { token, user_id } = await gate.session({ email: 'ada@example.com', plan: 'Business' });
  const client = createGatehouse({ url: gate.url, storage: memoryStorage() });
  await client.session.begin({ access_token: token, user_id });
  const hook = { url: `${worker.url}/`, events: ['chatbot.created' as const], secret: WEBHOOK_SECRET };
  const { webhook_id } = unwrap(await client.POST('/api/v1/webhooks/configure', { body: hook }));
  const chatbot = { name: 'Receptionist', type: 'text' as const, avatar_id: 'avatar-7', language: 'en-GB' };
  unwrap(await client.POST('/api/v1/chatbots/create', { body: chatbot }));
  await eventually(() => expect(worker.output()).toMatch(/^handled chatbot\.created /m));
  expect(counts()).toStrictEqual([{ user_id, number: 1 }]);

  const path = { webhook_id };
  const { data: deliveries } = unwrap(
    await client.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params: { path } }),
  );
  const replay = async () =>
    unwrap(
      await client.POST('/api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/replay', {
        params: { path: { webhook_id, delivery_id: deliveries[0]?.delivery_id ?? '' } },
      }),
    );
  await replay();
  await eventually(() => expect(worker.output()).toMatch(/^repeated chatbot\.created /m));

  await worker.stop();
  worker = await startExample('webhook-worker/worker.ts', env);
  await replay();
  await eventually(() => expect(worker.output()).toMatch(/^repeated chatbot\.created /m));
  expect(counts()).toStrictEqual([{ user_id, number: 1 }]);
});

test('refuses what Gatehouse has not signed', async () => {
  const before = counts();
  const body = JSON.stringify({ event: 'chatbot.created', data: { user_id: 'User-1' } });
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    'webhook-signature': 'v1,bm90aGluZw==',
  };
  const post = async (init: RequestInit) => (await fetch(worker.url, { method: 'POST', ...init })).status;
  expect(await post({ headers, body })).toBe(403);
  expect(await post({ body })).toBe(403);
  expect(await post({ headers, body: 'x'.repeat(1_000_001) })).toBe(413);
  expect((await fetch(worker.url)).status).toBe(405);
  expect(counts()).toStrictEqual(before);
});
