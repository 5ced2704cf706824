import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../../fixtures/eventually.ts';
import { type Receiver, startReceiver } from '../../../fixtures/receiver.ts';
import { conversation, type Hooks, type Person, startHooks } from '../hooks.ts';

/** In place of the fifteen seconds that an attempt may take. */
const LIMIT = 200;

let hooks: Hooks;
let ada: Person;
let receiver: Receiver;
beforeAll(async () => {
  hooks = await startHooks({ delivery: { attempt: LIMIT } });
});
afterAll(() => hooks.stop());
beforeEach(async () => {
  ada = await hooks.person();
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const publish = (count = 1) => hooks.publish(Array.from({ length: count }, () => conversation(ada.user_id)));
const stored = (webhook_id: string) => hooks.db.webhookDeliveries.find({ webhook_id }).toArray();

describe('answers that end late, or never', () => {
  const cases: [string, (response: ServerResponse) => void, object][] = [
    ['none', () => {}, { status: null, error: 'no end of the answer within 0.2 s' }],
    [
      'a cut connection',
      (response) => void response.destroy(),
      { status: null, error: 'the connection was cut' },
    ],
    [
      'no HTTP',
      (response) => void response.socket?.end('nonsense\r\n\r\n'),
      { status: null, error: 'the answer was not HTTP' },
    ],
    [
      'a status and then nothing',
      (response) => void response.writeHead(500).flushHeaders(),
      { status: 500, error: 'no end of the answer within 0.2 s', answer: '' },
    ],
    [
      'one that dribbles',
      (response) => {
        const timer = setInterval(() => response.write('x'), 10);
        response.once('close', () => clearInterval(timer));
      },
      { status: 200, error: 'no end of the answer within 0.2 s', answer: expect.stringMatching(/^x+$/) },
    ],
    [
      'an endless one',
      (response) => {
        const more = () => {
          while (response.write('x'.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      },
      { status: 200, error: 'the answer is longer than 64 KiB', answer: 'x'.repeat(1_024) },
    ],
    [
      'one that is no text',
      (response) => void response.end(Buffer.from([0, 255, 65])),
      { status: 200, error: null, answer: '\ufffd\ufffdA' },
    ],
  ];
  test.each(cases)('%s', async (_what, answer, expected) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    let closed = 0;
    receiver.answers = [
      (response) => {
        response.once('close', () => {
          closed += 1;
        });
        answer(response);
      },
    ];
    await publish();
    await eventually(async () => expect((await stored(webhook_id))[0]?.attempts).toMatchObject([expected]));
    await eventually(() => expect(closed).toBe(1));
    await ada.call('DELETE', `/${webhook_id}`);
  });

  test('nobody there', async () => {
    const gone = await startReceiver();
    await gone.stop();
    const webhook_id = await ada.configure({ url: gone.url });
    await publish();
    await eventually(async () =>
      expect((await stored(webhook_id))[0]?.attempts).toMatchObject([
        { status: null, error: 'the connection was refused', answer: '' },
      ]),
    );
  });
});

describe('several receivers', () => {
  test('one that hangs, with many waiting, does not delay another', async () => {
    const bob = await hooks.person();
    const other = await startReceiver();
    receiver.answers = [() => {}];
    await ada.configure({ url: receiver.url });
    await bob.configure({ url: other.url });
    await publish(200);
    await eventually(() => expect(receiver.received).toHaveLength(1));
    await hooks.publish(conversation(bob.user_id));
    await eventually(() => expect(other.received).toHaveLength(1));
    // Of the two hundred that wait.
    expect(receiver.received.length).toBeLessThan(20);
    await other.stop();
  });
});
