import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { conversation } from '../event-samples.ts';
import { type Person, SECRET } from '../webhook-service.ts';
import { receiver, service, withWebhooks } from '../with-webhooks.ts';

let ada: Person;
withWebhooks();
beforeAll(async () => {
  ada = await service.person();
});

const hmac = (secret: string, body: string) =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Publishes an event to a new webhook. @returns what the receiver got. */
async function delivered(secret: string, path = '/hooks?a=1') {
  const webhook_id = await ada.configure({ url: receiver.url + path, secret });
  const event = conversation(ada.user_id);
  receiver.received.length = 0;
  await service.publish(event);
  await service.settled(webhook_id, 'delivered');
  await ada.call('DELETE', `/${webhook_id}`);
  expect(receiver.received).toHaveLength(1);
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
  return { event, body, headers: headers as Record<string, string> };
}

describe('a delivery', () => {
  test('has the documented body and is signed by its headers', async () => {
    const { event, body, headers } = await delivered(SECRET);
    const { timestamp, data } = event;
    expect(body).toBe(JSON.stringify({ event: 'conversation.started', timestamp, data }));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Gatehouse-Webhooks/1',
      'x-service-signature': hmac(SECRET, body),
      'webhook-id': event.id,
      'webhook-timestamp': String(service.clock.seconds()),
      'webhook-signature': expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/),
    });
  });

  test('has the time of publishing as the default timestamp', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    receiver.received.length = 0;
    await service.publish(conversation(ada.user_id, { timestamp: undefined }));
    await service.settled(webhook_id, 'delivered');
    await ada.call('DELETE', `/${webhook_id}`);
    expect(JSON.parse(receiver.received[0]?.body as string).timestamp).toBe(
      new Date(service.clock.now()).toISOString(),
    );
  });
});

describe('the Standard Webhooks library verifies a delivery', () => {
  const raw = { format: 'raw' } as const;
  test.each([
    ['whsec_ and base64', SECRET, new Webhook(SECRET)],
    ['other text, as raw bytes', 'correct horse battery', new Webhook('correct horse battery', raw)],
    ['whsec_ without base64, as raw bytes', 'whsec_my-own', new Webhook('whsec_my-own', raw)],
    // The library turns each character into one byte, so it is given bytes.
    ['non-ASCII text, as raw bytes', 'Schlüssel 🔑', new Webhook(Buffer.from('Schlüssel 🔑'), raw)],
  ])('with a secret of %s', async (_what, secret, library) => {
    const { event, body, headers } = await delivered(secret);
    expect(library.verify(body, headers)).toEqual({
      event: event.event,
      timestamp: event.timestamp,
      data: event.data,
    });
    expect(headers['x-service-signature']).toBe(hmac(secret, body));
    expect(() => library.verify(`${body} `, headers)).toThrow('No matching signature');
  });
});

describe('after a rotation', () => {
  test('both secrets sign for a day, and X-Service-Signature uses the new one', async () => {
    const webhook_id = await ada.configure({ url: receiver.url, secret: SECRET });
    const { body: rotated } = await ada.call('POST', `/${webhook_id}/rotate-secret`);
    const verify = async (secrets: string[]) => {
      receiver.received.length = 0;
      await service.publish(conversation(ada.user_id));
      await service.settled(webhook_id, 'delivered');
      const [{ headers, body }] = receiver.received as [(typeof receiver.received)[0]];
      expect(headers['x-service-signature']).toBe(hmac(rotated.secret, body));
      expect(String(headers['webhook-signature']).split(' ')).toHaveLength(secrets.length);
      for (const secret of secrets) {
        // `verify` would compare with the machine's clock; the test's clock stands still.
        expect(
          new Webhook(secret).sign(String(headers['webhook-id']), new Date(service.clock.now()), body),
        ).toBeOneOf(String(headers['webhook-signature']).split(' '));
      }
    };
    await verify([rotated.secret, SECRET]);
    service.clock.advance(86_399);
    await verify([rotated.secret, SECRET]);
    service.clock.advance(1);
    await verify([rotated.secret]);
  });
});
