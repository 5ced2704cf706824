import { createSecrets } from '@gatehouse/shared/data/secrets';
import { resealWebhookSecrets } from '@gatehouse/webhooks/reseal-secrets';
import { describe, expect, test } from 'vitest';
import { openHeaders } from '../../../packages/webhooks/registration/headers.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { JWT_SECRET } from '../../fixtures/services.ts';
import { conversation } from '../event-samples.ts';
import { SECRET } from '../webhook-service.ts';
import { ada, receiver, service, withAda, withWebhooks } from '../with-webhooks.ts';

withWebhooks();
withAda();

const configure = (headers: unknown) =>
  ada.call('POST', '/configure', {
    url: receiver.url,
    events: ['conversation.started'],
    secret: SECRET,
    headers,
  });
const MASK = '••••••••';
const HEADERS = { Authorization: 'Bearer s3cret of ada', 'X-Tenant': 'acme' };

test('are sent with every delivery and with the test event', async () => {
  const webhook_id = await ada.configure({ url: receiver.url, headers: HEADERS });
  await service.publish(conversation(ada.user_id));
  await service.settled(webhook_id, 'delivered');
  await ada.call('POST', `/${webhook_id}/test`);
  expect(receiver.received).toHaveLength(2);
  for (const { headers } of receiver.received)
    expect(headers).toMatchObject({ authorization: HEADERS.Authorization, 'x-tenant': 'acme' });
});

test('are encrypted at rest and masked in every answer', async () => {
  const webhook_id = await ada.configure({ url: receiver.url, headers: HEADERS });
  const answers = [
    await ada.call('GET', `/${webhook_id}`),
    await ada.call('GET'),
    await ada.call('PATCH', `/${webhook_id}`, { status: 'active' }),
  ];
  const kept = JSON.stringify([await service.stored(webhook_id), answers.map(({ body }) => body)]);
  for (const value of Object.values(HEADERS)) expect(kept).not.toContain(value);
  expect(answers[0]?.body.headers).toEqual({ Authorization: MASK, 'X-Tenant': MASK });
});

describe('PATCH', () => {
  const present = async (webhook_id: string) => (await ada.call('GET', `/${webhook_id}`)).body.headers;
  const sent = async (webhook_id: string) => {
    await ada.call('POST', `/${webhook_id}/test`);
    const { authorization, ...headers } = receiver.received.at(-1)?.headers ?? {};
    return { authorization, tenant: headers['x-tenant'], other: headers['x-other'] };
  };

  test('changes and removes the given headers, without regard to case, and leaves the others', async () => {
    const webhook_id = await ada.configure({ url: receiver.url, headers: HEADERS });
    await ada.call('PATCH', `/${webhook_id}`, { headers: { 'x-tenant': 'globex', 'X-Other': '1' } });
    expect(await present(webhook_id)).toEqual({ Authorization: MASK, 'x-tenant': MASK, 'X-Other': MASK });
    expect(await sent(webhook_id)).toEqual({
      authorization: HEADERS.Authorization,
      tenant: 'globex',
      other: '1',
    });
    await ada.call('PATCH', `/${webhook_id}`, { headers: { authorization: null, 'X-Unknown': null } });
    expect(await sent(webhook_id)).toEqual({ authorization: undefined, tenant: 'globex', other: '1' });
  });

  test('rejects a masked value: sending a record back unchanged must not overwrite values', async () => {
    const webhook_id = await ada.configure({ url: receiver.url, headers: HEADERS });
    const { body } = await ada.call('GET', `/${webhook_id}`);
    expect((await ada.call('PATCH', `/${webhook_id}`, { headers: body.headers })).status).toBe(400);
    expect(await sent(webhook_id)).toMatchObject({ authorization: HEADERS.Authorization });
  });

  test('rejects a new URL unless the call names each header', async () => {
    const webhook_id = await ada.configure({ url: receiver.url, headers: HEADERS });
    const url = new URL('/elsewhere', receiver.url).href;
    for (const headers of [undefined, { 'X-Tenant': null, 'X-Other': '1' }]) {
      const answer = await ada.call('PATCH', `/${webhook_id}`, { url, ...(headers && { headers }) });
      expect(outcome(answer)).toStrictEqual(
        service.failure(
          answer,
          400,
          'INVALID_FORMAT',
          'The request is malformed',
          'headers must name every header of the webhook when the url changes: with its value, or null to remove it',
        ),
      );
    }
    expect((await service.stored(webhook_id))?.url).toBe(receiver.url);
    const renamed = await ada.call('PATCH', `/${webhook_id}`, { url: receiver.url, name: 'Same URL' });
    expect(renamed.status).toBe(200);
    const moved = await ada.call('PATCH', `/${webhook_id}`, {
      url,
      headers: { authorization: 'Bearer of the new receiver', 'X-Tenant': null },
    });
    expect(moved.status).toBe(200);
    expect(await sent(webhook_id)).toMatchObject({
      authorization: 'Bearer of the new receiver',
      tenant: undefined,
    });
  });

  test('concurrent changes of different headers all apply', async () => {
    const webhook_id = await ada.configure({ url: receiver.url });
    const names = ['X-1', 'X-2', 'X-3', 'X-4', 'X-5'];
    const answers = await Promise.all(
      names.map((name) => ada.call('PATCH', `/${webhook_id}`, { headers: { [name]: 'value' } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(Object.keys(await present(webhook_id)).sort()).toEqual(names);
    const answer = await ada.call('PATCH', `/${webhook_id}`, { headers: { 'X-6': 'value' } });
    expect(outcome(answer)).toStrictEqual(
      service.failure(
        answer,
        400,
        'INVALID_FORMAT',
        'The request is malformed',
        'headers must contain at most 5 headers',
      ),
    );
    const replacing = { ...Object.fromEntries(names.map((name) => [name, null])), 'Y-1': '1', 'Y-2': '2' };
    expect((await ada.call('PATCH', `/${webhook_id}`, { headers: replacing })).status).toBe(200);
    expect(Object.keys(await present(webhook_id))).toEqual(['Y-1', 'Y-2']);
  });
});

describe('validation', () => {
  const names = 'headers must contain only header names of 1 to 100 characters';
  const value = (name: string) =>
    `headers.${name} must be 1 to 1024 visible ASCII characters, with spaces only between them`;
  test.each<[unknown, string]>([
    ['x', 'headers must be an object of header names and values'],
    [[['X-Api-Key', 'x']], 'headers must be an object of header names and values'],
    [{ '': 'x' }, names],
    [{ 'X Api Key': 'x' }, names],
    [{ 'X-Api-Key:': 'x' }, names],
    [{ 'X-Api-Key\r\nHost': 'x' }, names],
    [{ 'X-Schlüssel': 'x' }, names],
    [{ ['X'.repeat(101)]: 'x' }, names],
    [{ 'X-A': '' }, value('X-A')],
    [{ 'X-A': 'a\r\nHost: internal' }, value('X-A')],
    [{ 'X-A': 'a\tb' }, value('X-A')],
    [{ 'X-A': ' a' }, value('X-A')],
    [{ 'X-A': 'a ' }, value('X-A')],
    [{ 'X-A': 'schlüssel' }, value('X-A')],
    [{ 'X-A': 'x'.repeat(1_025) }, value('X-A')],
    [{ 'X-A': 7 }, 'headers.X-A must be a string'],
    [{ 'X-A': null }, 'headers.X-A must be a string'],
    [{ 'X-A': '1', 'x-a': '2' }, 'headers must not repeat a header'],
    [
      Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`X-${n}`, 'x'])),
      'headers must contain at most 5 headers',
    ],
  ])('returns 400 for %j', async (headers, details) => {
    const answer = await configure(headers);
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', details),
    );
    expect(await service.db.webhooks.countDocuments({ owner_id: ada.user_id })).toBe(0);
  });

  test.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'Host',
    'Content-Type',
    'CONTENT-LENGTH',
    'content-encoding',
    'Accept-Encoding',
    'Cookie',
    'User-Agent',
    'Forwarded',
    'X-Forwarded-For',
    'X-HTTP-Method-Override',
    'webhook-id',
    'Webhook-Signature',
    'X-Service-Signature',
  ])('refuses %s', async (name) => {
    const webhook_id = await ada.configure({ url: receiver.url });
    for (const answer of [
      await configure({ [name]: 'x' }),
      await ada.call('PATCH', `/${webhook_id}`, { headers: { [name]: 'x' } }),
    ])
      expect(outcome(answer)).toStrictEqual(
        service.failure(
          answer,
          400,
          'INVALID_FORMAT',
          'The request is malformed',
          `headers.${name} is a header that a webhook cannot set`,
        ),
      );
  });

  test('accepts every character of a token and the longest value', async () => {
    const headers = { "!#$%&'*+-.^_`|~0Aa": 'x'.repeat(1_024), __proto: '!~' };
    const answer = await configure(headers);
    expect(answer.status).toBe(201);
    await ada.call('POST', `/${answer.body.webhook_id}/test`);
    expect(receiver.received[0]?.headers).toMatchObject({
      "!#$%&'*+-.^_`|~0aa": 'x'.repeat(1_024),
      __proto: '!~',
    });
  });
});

test('a start encrypts the values again, each bound to its webhook and name', async () => {
  const webhook_id = await ada.configure({ url: receiver.url, headers: HEADERS });
  const next = createSecrets({ JWT_SECRET, WEBHOOK_SECRET_KEY: '2'.repeat(32) });
  await resealWebhookSecrets(service.db, next);
  const stored = await service.stored(webhook_id);
  const alone = createSecrets({ JWT_SECRET: 'x', WEBHOOK_SECRET_KEY: '2'.repeat(32) });
  const headers = stored?.headers ?? [];
  expect(openHeaders(alone, { webhook_id, headers })).toEqual(HEADERS);
  const [one, two] = headers;
  const swapped = [
    { name: one?.name ?? '', value: two?.value ?? '' },
    { name: two?.name ?? '', value: one?.value ?? '' },
  ];
  expect(() => openHeaders(alone, { webhook_id, headers: swapped })).toThrow();
  expect(() => openHeaders(alone, { webhook_id: 'another', headers })).toThrow();
});
