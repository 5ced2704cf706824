import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createReceiver } from '../../../commands/webhook-listen/receiver.ts';
import { signatureHeaders } from '../../../packages/webhooks/delivery/signature.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { send } from '../../fixtures/http.ts';
import { createProcesses } from '../../fixtures/processes.ts';
import { conversation } from '../../webhooks/event-samples.ts';
import { SECRET, startWebhookService } from '../../webhooks/webhook-service.ts';

const now = Date.UTC(2026, 0, 15, 9, 30);
const BODY = '{"event":"payment.failed","timestamp":"2026-01-15T09:30:00Z","data":{"amount":1}}';

describe('the receiver', () => {
  let printed: string[];
  let url: string;
  let stop: () => Promise<unknown>;
  const options = { secret: SECRET, status: 200, fail: 0 };
  async function start(given: Partial<typeof options> = {}) {
    printed = [];
    const print = (text: string) => void printed.push(text);
    const { server, totals } = createReceiver({ ...options, ...given, print, now: () => now });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;
    stop = () => new Promise((resolve) => server.close(resolve));
    return totals;
  }
  let totals: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => {
    totals = await start();
  });
  afterEach(() => stop());

  const deliver = (headers: Record<string, string>, body = BODY) =>
    send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...headers },
      body,
    });
  const signed = (id: string, { secret = SECRET, at = now, body = BODY } = {}) =>
    signatureHeaders(id, Buffer.from(body), [secret], at);

  test('prints a delivery whose signatures hold, with its body', async () => {
    expect((await deliver({ ...signed('evt-1'), 'x-tenant': 'acme' })).status).toBe(200);
    expect(printed).toHaveLength(1);
    // Without the headers that fetch adds.
    const lines = printed[0]?.split('\n').filter((line) => !/^ {4}(?:accept|sec-fetch)/.test(line));
    expect(lines?.join('\n')).toBe(`
#1  2026-01-15T09:30:00.000Z  POST /hooks
    webhook-id           evt-1
    x-service-signature  ✓ holds
    webhook-signature    ✓ holds
    x-tenant             acme
    {
      "event": "payment.failed",
      "timestamp": "2026-01-15T09:30:00Z",
      "data": {
        "amount": 1
      }
    }
    answered 200`);
    expect(totals).toEqual({ received: 1, duplicates: 0, forged: 0 });
  });

  test.each([
    [
      'another secret',
      () => signed('evt', { secret: 'whsec_b3RoZXItc2VjcmV0LW90aGVyLXNlY3JldA==' }),
      /✗ DOES NOT HOLD.*[\s\S]*✗ DOES NOT HOLD/,
    ],
    ['another body', () => signed('evt', { body: '{}' }), /✗ DOES NOT HOLD.*[\s\S]*✗ DOES NOT HOLD/],
    [
      'an old timestamp',
      () => signed('evt', { at: now - 301_000 }),
      /webhook-signature +✗ holds, but webhook-timestamp is 301 seconds old/,
    ],
    ['no signature', () => ({}), /x-service-signature +✗ is missing[\s\S]*webhook-signature +✗ is missing/],
    [
      'another id',
      () => ({ ...signed('evt'), 'webhook-id': 'evt-2' }),
      /x-service-signature +✓ holds[\s\S]*webhook-signature +✗ DOES NOT HOLD/,
    ],
  ])('tells %s', async (_what, headers, expected) => {
    await deliver(headers());
    expect(printed[0]).toMatch(expected);
    expect(totals.forged).toBe(1);
  });

  test('accepts the signature of one of several secrets', async () => {
    const headers = signatureHeaders('evt', Buffer.from(BODY), ['a new secret', SECRET], now);
    await deliver(headers);
    expect(printed[0]).toMatch(/x-service-signature +✗ DOES NOT HOLD[\s\S]*webhook-signature +✓ holds/);
  });

  test('recognizes duplicates by webhook-id', async () => {
    await deliver(signed('evt-1'));
    await deliver(signed('evt-2'));
    await deliver(signed('evt-1'));
    expect(printed.map((text) => /duplicate: arrival \d/.exec(text)?.[0])).toEqual([
      undefined,
      undefined,
      'duplicate: arrival 2',
    ]);
    expect(totals).toMatchObject({ received: 3, duplicates: 1 });
  });

  test('fails the first requests, then answers with the given status', async () => {
    await stop();
    await start({ status: 202, fail: 2 });
    const statuses = [];
    for (const id of ['a', 'b', 'c']) statuses.push((await deliver(signed(id))).status);
    expect(statuses).toEqual([500, 500, 202]);
  });

  test('prints nothing that controls the terminal', async () => {
    const body = '{"name":"\\u001b[2J\u009b1m\u202e"}';
    await deliver({ ...signed('evt', { body }), 'x-note': 'a\u009bb' }, body);
    await deliver({}, 'not JSON \u001b]0;title\u0007');
    expect(printed.join('\n')).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(printed[1]).toContain('not JSON \\u001b]0;title\\u0007');
  });

  test('refuses a body of more than 1 MiB', async () => {
    expect((await deliver({}, 'x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    expect((await deliver(signed('evt'))).status).toBe(200);
  });
});

describe('npm run webhook-listen', () => {
  const script = fileURLToPath(new URL('../../../commands/webhook-listen.ts', import.meta.url));
  let args: string[];
  const processes = createProcesses<'webhook-listen'>(() => ({ script, args }));
  afterEach(() => processes.end('webhook-listen'));

  test('shows what Gatehouse delivers, retries included, and stops on SIGTERM', async () => {
    const service = await startWebhookService();
    try {
      args = ['--port', '0', '--secret', SECRET, '--fail', '1'];
      await processes.start('webhook-listen');
      const url = /http:\/\/127\.0\.0\.1:\d+\//.exec(processes.output())?.[0];
      expect(processes.output()).toContain('WEBHOOK_ALLOW_PRIVATE=on npm start');
      expect(processes.output()).not.toContain(SECRET);
      const ada = await service.person();
      const webhook_id = await ada.configure({ url });
      const event = conversation(ada.user_id);
      // Signatures carry the clock of the service.
      service.clock.advance(Math.floor((Date.now() - service.clock.now()) / 1_000));
      await service.publish(event);
      await service.settled(webhook_id, 'pending');
      service.clock.advance(5);
      await service.settled(webhook_id, 'delivered');
      await eventually(() => expect(processes.output()).toContain('answered 200'));
      const output = processes.output();
      expect(output).toContain(`webhook-id           ${event.id}  (duplicate: arrival 2)`);
      expect(output.match(/✓ holds/g)).toHaveLength(4);
      expect(output).toContain('"event": "conversation.started"');
      expect(await processes.end('webhook-listen', 'SIGTERM')).toBe(0);
      expect(processes.output()).toContain(
        '2 received, 1 of them duplicates, 0 with a signature that does not hold',
      );
    } finally {
      await service.stop();
    }
  });

  test('makes up a secret if none is given', async () => {
    args = ['--port', '0'];
    await processes.start('webhook-listen');
    expect(processes.output()).toMatch(/"secret":"whsec_[A-Za-z0-9+/]{43}="/);
  });

  test('says in one line that a port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    args = ['--port', String(port)];
    await expect(processes.start('webhook-listen')).rejects.toThrow(
      `webhook-listen: port ${port} is in use; choose another with --port`,
    );
    taken.close();
  });

  test.each([
    [['--port', '99999'], '--port must be an integer from 0 to 65535'],
    [['--status', '100'], '--status must be an integer from 200 to 599'],
    [['--fail', '-1'], '--fail'],
    [['--colour'], "Unknown option '--colour'"],
  ])('refuses %j', async (given, expected) => {
    args = given;
    await expect(processes.start('webhook-listen')).rejects.toThrow(`webhook-listen: `);
    expect(processes.output()).toContain(expected);
  });
});
