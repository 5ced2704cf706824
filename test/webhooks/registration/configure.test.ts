import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EVENT_NAMES } from '../../../packages/webhooks/events.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { type Person, SECRET, startWebhookService, type WebhookService } from '../webhook-service.ts';

/** What the name servers answer. Other names do not resolve, or get no answer at all. */
const NAMES: Record<string, string[]> = {
  'app.example.com': ['93.184.215.14'],
  'rebound.example.com': ['93.184.215.14', '127.0.0.1'],
  'inside.example.com': ['fd00::7'],
};

let service: WebhookService;
let ada: Person;
beforeAll(async () => {
  service = await startWebhookService({
    env: { WEBHOOK_ALLOW_PRIVATE: 'off' },
    delivery: {
      resolveTimeout: 10,
      resolve: async (name) => {
        if (name === 'unresponsive.example.com') return new Promise(() => {});
        return NAMES[name] ?? Promise.reject(new Error('ENOTFOUND'));
      },
    },
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  ada = await service.person();
});

const GOOD = { url: 'https://app.example.com/hooks?a=1', events: ['conversation.started'], secret: SECRET };
const configure = (fields: object = {}) => ada.call('POST', '/configure', { ...GOOD, ...fields });
const count = () => service.db.webhooks.countDocuments({ owner_id: ada.user_id });

describe('POST /api/v1/webhooks/configure', () => {
  test('answers 201 with exactly webhook_id, status and created_at', async () => {
    const answer = await configure();
    expect(outcome(answer)).toStrictEqual({
      status: 201,
      body: {
        webhook_id: expect.stringMatching(
          /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        ),
        status: 'active',
        created_at: new Date(service.clock.now()).toISOString(),
      },
    });
  });

  test('stores the secret encrypted, differently each time', async () => {
    const one = await service.stored((await configure()).body.webhook_id);
    const other = await service.stored((await configure()).body.webhook_id);
    expect(JSON.stringify([one, other])).not.toContain('C2FVsBQIhrscChlQIMV');
    expect(one?.secret).toMatch(/^[0-9a-f]{8}\.[\w-]{16}\.[\w-]+\.[\w-]{22}$/);
    expect(one?.secret).not.toBe(other?.secret);
  });

  test('removes duplicate events', async () => {
    const events = ['payment.failed', 'payment.failed', 'chatbot.created'];
    const { body } = await configure({ events });
    expect((await service.stored(body.webhook_id))?.events).toEqual(['payment.failed', 'chatbot.created']);
  });

  test.each(['url', 'events', 'secret'])('returns 400 without %s', async (field) => {
    const answer = await configure({ [field]: undefined });
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'MISSING_FIELD', 'A required field is missing', `${field} is required`),
    );
    expect(await count()).toBe(0);
  });

  const names = EVENT_NAMES.join(', ');
  const secret = 'secret must be 8 to 256 characters without control characters';
  test.each([
    [{ url: 7 }, 'url must be a string'],
    [{ url: 'app.example.com' }, 'url must be a URL that begins with https://'],
    [{ url: 'ftp://app.example.com' }, 'url must be a URL that begins with https://'],
    [{ url: 'javascript:alert(1)' }, 'url must be a URL that begins with https://'],
    [{ url: 'https://' }, 'url must be a URL that begins with https://'],
    [{ url: ' https://app.example.com' }, 'url must be a URL that begins with https://'],
    [{ url: 'https://app.exa\nmple.com' }, 'url must be a URL that begins with https://'],
    [{ url: 'https://app.example.com/\ud800' }, 'url must be a URL that begins with https://'],
    [{ url: 'https://app.example.com:99999' }, 'url must be a URL that begins with https://'],
    [{ url: 'https://ada@app.example.com' }, 'url must not contain a user name or password'],
    [{ url: 'https://ada:pass@app.example.com' }, 'url must not contain a user name or password'],
    [{ url: 'https://app.example.com/#top' }, 'url must not contain a fragment'],
    [{ url: `https://app.example.com/${'x'.repeat(2_048)}` }, 'url must be at most 2048 characters'],
    [{ events: [] }, 'events must contain at least one event'],
    [{ events: 'payment.failed' }, 'events must be an array of event names'],
    [{ events: ['unknown.event'] }, `events.0 must be one of ${names}`],
    [{ events: ['payment.failed', null] }, `events.1 must be one of ${names}`],
    [{ events: Array(EVENT_NAMES.length + 1).fill('payment.failed') }, 'events must not repeat an event'],
    [{ secret: 'x'.repeat(7) }, secret],
    [{ secret: 'x'.repeat(257) }, secret],
    [{ secret: 'line one\nline two' }, secret],
    [{ secret: 12_345_678 }, 'secret must be a string'],
  ])('returns 400 and stores nothing for %j', async (fields, details) => {
    const answer = await configure(fields);
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', details),
    );
    expect(await count()).toBe(0);
  });

  test.each([
    'http://127.0.0.1:8080/',
    'http://2130706433/',
    'http://0x7f.0.0.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://0/',
    'http://①②⑦.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/',
    'http://10.1.2.3/',
    'http://100.64.0.1/',
    'http://localhost:8017/',
    'http://LocalHost./',
    'http://metadata.google.internal/',
    'https://rebound.example.com/',
    'https://inside.example.com/',
  ])('rejects %s, which does not resolve to public addresses', async (url) => {
    const answer = await configure({ url });
    expect(outcome(answer)).toStrictEqual(
      service.failure(
        answer,
        400,
        'INVALID_FORMAT',
        'The request is malformed',
        'url must resolve to public addresses',
      ),
    );
    expect(await count()).toBe(0);
  });

  const port = 'url must use port 80, 443 or 8000 to 9999';
  test.each([0, 22, 79, 81, 444, 7_999, 10_000, 27_017, 65_535])('rejects port %i', async (number) => {
    for (const host of ['app.example.com', '93.184.215.14']) {
      const answer = await configure({ url: `https://${host}:${number}/` });
      expect(outcome(answer)).toStrictEqual(
        service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', port),
      );
    }
    expect(await count()).toBe(0);
  });

  test.each([
    'http://app.example.com/',
    ...[80, 443, 8_000, 9_999].map((n) => `https://app.example.com:${n}/`),
  ])('accepts the port of %s', async (url) => {
    expect((await configure({ url })).status).toBe(201);
  });

  test('a PATCH checks the port too', async () => {
    const { webhook_id } = (await configure()).body;
    const answer = await ada.call('PATCH', `/${webhook_id}`, { url: 'https://app.example.com:22/' });
    expect(outcome(answer)).toStrictEqual(
      service.failure(answer, 400, 'INVALID_FORMAT', 'The request is malformed', port),
    );
    expect((await service.stored(webhook_id))?.url).toBe(GOOD.url);
  });

  test.each(['unknown.example.com', 'unresponsive.example.com'])(
    'accepts %s, which does not resolve yet: it is checked at every connection',
    async (host) => {
      expect((await configure({ url: `https://${host}/` })).status).toBe(201);
    },
  );

  test('enforces the limit of the plan under concurrent calls', async () => {
    await service.db.users.updateOne({ user_id: ada.user_id }, { $unset: { subscription_plan: true } });
    const answers = await Promise.all(Array.from({ length: 30 }, () => configure()));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(20).fill(201),
      ...Array(10).fill(403),
    ]);
    const answer = await configure();
    expect(outcome(answer)).toStrictEqual(
      service.failure(
        answer,
        403,
        'FORBIDDEN',
        'Forbidden',
        'An account on the Free plan has at most 20 webhooks',
      ),
    );
    expect(await count()).toBe(20);
    const [one] = await service.db.webhooks.find({ owner_id: ada.user_id }).toArray();
    await ada.call('DELETE', `/${one?.webhook_id}`);
    expect((await configure()).status).toBe(201);
    await service.db.users.updateOne({ user_id: ada.user_id }, { $set: { subscription_plan: 'Starter' } });
    expect((await configure()).status).toBe(201);
  });
});

describe('production', () => {
  test('requires https', async () => {
    const strict = await startWebhookService({
      env: {
        NODE_ENV: 'production',
        WEBHOOK_ALLOW_PRIVATE: 'off',
      },
      delivery: { resolve: async () => ['93.184.215.14'] },
    });
    try {
      const eve = await strict.person();
      const answer = await eve.call('POST', '/configure', { ...GOOD, url: 'http://app.example.com/' });
      expect(outcome(answer)).toStrictEqual(
        strict.failure(
          answer,
          400,
          'INVALID_FORMAT',
          'The request is malformed',
          'url must begin with https://',
        ),
      );
    } finally {
      await strict.stop();
    }
  });
});
