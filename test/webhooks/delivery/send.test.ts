import type { ServerResponse } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSend } from '../../../packages/webhooks/delivery/send.ts';
import { eventually } from '../../fixtures/eventually.ts';
import { type Receiver, startReceiver } from '../../fixtures/receiver.ts';
import { conversation } from '../event-samples.ts';
import { type Person, startWebhookService, type WebhookService } from '../webhook-service.ts';

describe('a response', () => {
  let service: WebhookService;
  let ada: Person;
  let receiver: Receiver;
  beforeAll(async () => {
    service = await startWebhookService();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    ada = await service.person();
    receiver = await startReceiver();
  });
  afterEach(() => receiver.stop());

  /** Publishes an event and waits for the first attempt of its delivery. */
  async function firstAttempt(webhook_id: string) {
    await service.publish(conversation(ada.user_id));
    return eventually(async () => {
      const delivery = await service.db.webhookDeliveries.findOne({ webhook_id });
      if (!delivery?.attempts[0]) throw new Error('no attempt yet');
      return delivery.attempts[0];
    });
  }

  const cases: [string, (response: ServerResponse) => void, object][] = [
    [
      'that breaks off',
      (response) => void response.destroy(),
      { status: null, error: 'the connection was closed' },
    ],
    [
      'that is not HTTP',
      (response) => void response.socket?.end('nonsense\r\n\r\n'),
      { status: null, error: 'the response was not HTTP' },
    ],
    [
      'that never ends',
      (response) => {
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
      { status: 200, error: null, answer: 'x'.repeat(512) },
    ],
    [
      'that is not text',
      (response) => void response.end(Buffer.from([0, 255, 65])),
      { status: 200, error: null, answer: '\ufffd\ufffdA' },
    ],
  ];
  test.each(cases)(
    '%s is recorded, and its connection does not stay open',
    async (_what, answer, expected) => {
      const webhook_id = await ada.configure({ url: receiver.url });
      const closed = Promise.withResolvers<void>();
      receiver.answers = [
        (response) => {
          response.once('close', closed.resolve);
          answer(response);
        },
      ];
      expect(await firstAttempt(webhook_id)).toMatchObject(expected);
      await closed.promise;
      await ada.call('DELETE', `/${webhook_id}`);
    },
  );

  test('is missing if the connection is refused', async () => {
    const gone = await startReceiver();
    await gone.stop();
    const webhook_id = await ada.configure({ url: gone.url });
    expect(await firstAttempt(webhook_id)).toMatchObject({
      status: null,
      error: 'the connection was refused',
      answer: '',
    });
  });
});

describe('the timeout of an attempt', () => {
  test('closes the connection to a receiver that does not respond', async () => {
    const service = await startWebhookService({ delivery: { attemptTimeout: 50 } });
    const receiver = await startReceiver();
    try {
      const ada = await service.person();
      let closed = 0;
      receiver.answers = [
        (response) =>
          void response.once('close', () => {
            closed += 1;
          }),
      ];
      const webhook_id = await ada.configure({ url: receiver.url });
      await service.publish(conversation(ada.user_id));
      // On a busy machine an attempt may time out before it reaches the receiver; a later one does.
      await eventually(() => {
        service.clock.advance(60);
        expect(closed).toBeGreaterThan(0);
      });
      const error = 'no complete response within 0.05 s';
      await eventually(async () => {
        const delivery = await service.db.webhookDeliveries.findOne({ webhook_id });
        expect(delivery?.attempts[0]).toMatchObject({ status: null, error, answer: '' });
      });
    } finally {
      await receiver.stop();
      await service.stop();
    }
  });

  /** An attempt over a fake connection, driven by the test. */
  function attempt() {
    let handler: Dispatcher.DispatchHandler | undefined;
    const agent = {
      dispatch: (_options: unknown, given: Dispatcher.DispatchHandler) => {
        handler = given;
      },
    } as unknown as Agent;
    const send = createSend({ agent, attemptTimeout: 15_000, now: () => 0 });
    const outcome = send({ url: 'https://app.example.com/', headers: {}, body: Buffer.from('{}') });
    const abort = vi.fn();
    const controller = { abort } as unknown as Dispatcher.DispatchController;
    handler?.onRequestStart?.(controller, {});
    return {
      outcome,
      abort,
      head: (status: number) => handler?.onResponseStart?.(controller, status, {}),
      data: (text: string) => handler?.onResponseData?.(controller, Buffer.from(text)),
    };
  }

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test('bounds a response that stops after its status', async () => {
    const { outcome, head, abort } = attempt();
    head(500);
    vi.advanceTimersByTime(15_000);
    expect(await outcome).toMatchObject({
      status: 500,
      error: 'no complete response within 15 s',
      answer: '',
    });
    expect(abort).toHaveBeenCalledOnce();
  });

  test('bounds a response that trickles in', async () => {
    const { outcome, head, data, abort } = attempt();
    head(200);
    for (let second = 0; second < 15; second += 1) {
      data('x');
      expect(abort).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
    }
    expect(await outcome).toMatchObject({
      status: 200,
      error: null,
      answer: 'x'.repeat(15),
    });
    expect(abort).toHaveBeenCalledOnce();
  });
});
