import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgent } from '@gatehouse/shared/outbound/agent';
import { expect, test, vi } from 'vitest';
import { eventually } from '../../fixtures/eventually.ts';
import { conversation } from '../event-samples.ts';
import { receiver, service, withWebhooks } from '../with-webhooks.ts';

/** What the name servers answer at the moment. */
let addresses: string[] = [];
withWebhooks({
  env: { WEBHOOK_ALLOW_PRIVATE: 'off', WEBHOOK_PORTS: '1-6665,6667-65535' },
  delivery: { resolve: async () => addresses },
});

/** Publishes an event to a webhook. @returns the first attempt. */
async function firstAttempt(configure: () => Promise<string>, owner_id: string) {
  const webhook_id = await configure();
  await service.publish(conversation(owner_id));
  return eventually(async () => {
    const delivery = await service.db.webhookDeliveries.findOne({ webhook_id });
    if (!delivery?.attempts[0]) throw new Error('no attempt yet');
    return delivery.attempts[0];
  });
}

test.each([
  ['moves to a private address', ['127.0.0.1']],
  ['gains a private address', ['93.184.215.14', '127.0.0.1']],
  ['moves to a private address written as IPv6', ['::ffff:127.0.0.1']],
])('does not call a name that %s after it was configured', async (_what, then) => {
  const ada = await service.person();
  const { port } = new URL(receiver.url);
  addresses = ['93.184.215.14'];
  const attempt = await firstAttempt(async () => {
    const webhook_id = await ada.configure({ url: `http://app.example.com:${port}/` });
    addresses = then;
    return webhook_id;
  }, ada.user_id);
  expect(attempt).toMatchObject({ status: null, error: 'the address is not public' });
  expect(receiver.received).toEqual([]);
});

test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]'])(
  'does not call a private address that was stored by other means: %s',
  async (host) => {
    const ada = await service.person();
    addresses = ['93.184.215.14'];
    const { port } = new URL(receiver.url);
    const attempt = await firstAttempt(async () => {
      const webhook_id = await ada.configure({ url: 'https://app.example.com/' });
      await service.db.webhooks.updateOne({ webhook_id }, { $set: { url: `http://${host}:${port}/` } });
      return webhook_id;
    }, ada.user_id);
    expect(attempt).toMatchObject({ status: null, error: 'the address is not public' });
    expect(receiver.received).toEqual([]);
  },
);

test('does not call a port that is no longer allowed', async () => {
  const ada = await service.person();
  addresses = ['93.184.215.14'];
  const attempt = await firstAttempt(async () => {
    const webhook_id = await ada.configure({ url: 'https://app.example.com/' });
    const url = 'https://app.example.com:6666/';
    await service.db.webhooks.updateOne({ webhook_id }, { $set: { url } });
    return webhook_id;
  }, ada.user_id);
  expect(attempt).toMatchObject({ status: null, error: 'the port is not allowed' });
});

test("closes an idle connection in spite of a receiver's offer to keep it longer", async () => {
  const closed = Promise.withResolvers<void>();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'keep-alive': 'timeout=600' }).end();
  });
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => socket.once('close', () => closed.resolve()));
  const url = await new Promise<string>((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
  const agent = createAgent({ allowPrivate: true, ports: [], resolve: async () => [], idleTimeout: 10 });
  const { statusCode, body } = await agent.request({ origin: url, path: '/', method: 'POST' });
  await body.dump();
  expect(statusCode).toBe(200);
  await closed.promise;
  await agent.destroy();
  server.close();
});

test('ignores the proxy variables of the environment', async () => {
  const ada = await service.person();
  addresses = ['127.0.0.1'];
  vi.stubEnv('HTTP_PROXY', receiver.url);
  vi.stubEnv('http_proxy', receiver.url);
  try {
    addresses = ['93.184.215.14'];
    const attempt = await firstAttempt(async () => {
      const webhook_id = await ada.configure({ url: 'http://app.example.com/' });
      addresses = ['10.0.0.1'];
      return webhook_id;
    }, ada.user_id);
    expect(attempt).toMatchObject({ status: null, error: 'the address is not public' });
    expect(receiver.received).toEqual([]);
  } finally {
    vi.unstubAllEnvs();
  }
});
