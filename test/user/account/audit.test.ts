import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { errorEnvelope, outcome } from '../../fixtures/envelope.ts';
import { postForm, send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { mailedCode, type Services, startServices } from '../../fixtures/services.ts';

let services: Services;
/** A user service whose mail server is down. */
let unmailed: Services;
beforeAll(async () => {
  const env = { LOG_LEVEL: 'trace' };
  [services, unmailed] = await Promise.all([
    startServices({ env }),
    startServices({ env: { ...env, SMTP_URL: 'smtp://127.0.0.1:1' } }),
  ]);
});
afterAll(() => Promise.all([services.stop(), unmailed.stop()]));

const email = 'ada@example.com';
const SECRET = 'pass-word-of-the-tests';
const secrets: string[] = [SECRET];

const post = async (operation: string, fields: Record<string, string>, where = services) => {
  const answer = await postForm(`${where.user}/v2/${operation}`, fields);
  if (answer.body.token) secrets.push(answer.body.token);
  return answer.status;
};
const code = () => {
  const otp = mailedCode(services.mailbox, email);
  secrets.push(otp);
  return otp;
};
const wrong = () => {
  const otp = String((Number(code()) + 1) % 1_000_000).padStart(6, '0');
  secrets.push(otp);
  return otp;
};
const user_id = async () => (await services.db.users.findOne({ email }))?.user_id ?? null;

/** The steps of one account, in their order. */
const ATTEMPTS: [
  action: AuditAction,
  what: string,
  status: number,
  outcome: string,
  step: () => Promise<number>,
][] = [
  [
    'signup',
    'of a new address',
    200,
    'success',
    () => post('signup', { email, password: SECRET, name: 'Ada' }),
  ],
  ['verify', 'with a wrong code', 400, 'Invalid OTP', () => post('verify-otp', { email, otp: wrong() })],
  ['verify', 'with the code', 200, 'success', () => post('verify-otp', { email, otp: code() })],
  [
    'signup',
    'of an active address',
    400,
    'Email already registered',
    () => post('signup', { email, password: `${SECRET}-2`, name: 'Eve' }),
  ],
  ['forgot', 'of the account', 200, 'success', () => post('forgot-password', { email })],
  [
    'reset',
    'with a wrong code',
    400,
    'Invalid or expired OTP',
    () => post('reset-password', { email, otp: wrong(), new_password: `${SECRET}-3` }),
  ],
  [
    'reset',
    'with the code',
    200,
    'success',
    () => post('reset-password', { email, otp: code(), new_password: `${SECRET}-4` }),
  ],
];

describe('an account', () => {
  test.each(ATTEMPTS)('%s %s: %i leaves one event: %s', async (action, _what, status, how, step) => {
    const events = await eventsOf(services, async () => expect(await step()).toBe(status));
    const activates = action === 'verify' && how === 'success';
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action,
        outcome: how,
        email,
        user_id: await user_id(),
        ...(activates && { after: { account_status: 'active' } }),
      }),
    ]);
  });

  test('a change of the profile leaves the fields before and after', async () => {
    const user = await newMember(services.db, { phone: '+44 20 7946 0000' });
    const events = await eventsOf(services, async () => {
      const body = { name: 'Ada King', phone: null, company: 'Engines' };
      const headers = { authorization: bearerOf(user, services.clock.now()) };
      expect((await sendJson('PATCH', `${services.user}/api/v1/users/me`, body, headers)).status).toBe(200);
    });
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action: 'profile.update',
        user_id: user.user_id as string,
        email: user.email.toLowerCase(),
        before: { name: 'Person', phone: '+44 20 7946 0000', company: null },
        after: { name: 'Ada King', phone: null, company: 'Engines' },
      }),
    ]);
  });

  test.each<[AuditAction, string, Record<string, string>]>([
    ['verify', 'verify-otp', { otp: '123456' }],
    ['forgot', 'forgot-password', {}],
    ['reset', 'reset-password', { otp: '123456', new_password: SECRET }],
  ])('%s of an unknown address leaves one event', async (action, operation, fields) => {
    const unknown = 'Nobody@Example.com';
    const events = await eventsOf(services, () => post(operation, { email: unknown, ...fields }));
    expect(events).toEqual([
      auditEvent(services.clock.now(), {
        action,
        outcome: 'User not found',
        email: 'nobody@example.com',
        user_id: null,
      }),
    ]);
  });

  test('a signup whose mail is refused leaves one event', async () => {
    const events = await eventsOf(unmailed, async () =>
      expect(await post('signup', { email, password: SECRET, name: 'Ada' }, unmailed)).toBe(503),
    );
    expect(events).toEqual([
      auditEvent(unmailed.clock.now(), {
        action: 'signup',
        outcome: 'The code could not be mailed, please try again',
        email,
        user_id: null,
      }),
    ]);
  });

  test('a malformed form leaves no event', async () => {
    const events = await eventsOf(services, () => post('signup', { email: 'nobody', password: SECRET }));
    expect(events).toEqual([]);
  });

  test('neither the events nor the logs hold a password, code or token', async () => {
    expect(secrets.length).toBeGreaterThan(8);
    const events = await services.db.auditEvents.find({}, { projection: { _id: 0 } }).toArray();
    // Ids and times may contain six digits by chance.
    const kept = events.map(({ event_id: _, at: __, request_id: ___, ...event }) => event);
    const lines = [...services.logged, ...unmailed.logged].map((line) => {
      const { time: _, ms: __, reqId: ___, pid: ____, event_id: _____, ...logged } = JSON.parse(line);
      return logged;
    });
    const text = JSON.stringify([kept, lines]);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).not.toContain('argon2id');
  });
});

test('the log line of a request names its user', async () => {
  const user = await newMember(services.db);
  services.logged.length = 0;
  await send(`${services.user}/api/v1/users/me`, {
    headers: { authorization: bearerOf(user, services.clock.now()) },
  });
  await send(`${services.user}/api/v1/users/me`);
  const lines = services.logged
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === 'request completed');
  expect(lines.map(({ status, user_id: who }) => [status, who])).toEqual([
    [200, user.user_id],
    [401, undefined],
  ]);
});

describe('GET /api/v1/users/me/audit', () => {
  /** Reads the own events of a new account, after storing events about it. */
  const own = async (
    query = '',
    prepare: (user: { user_id: string; email: string }) => object[] = () => [],
    fields: object = { address_since: new Date(services.clock.now()) },
  ) => {
    const user = await newMember(services.db, fields);
    const known = { user_id: user.user_id as string, email: user.email.toLowerCase() };
    const at = services.clock.now();
    const stored = prepare(known).map((fields, index) => ({
      ...auditEvent(at, { action: 'login', ...known, request_id: `request-${index}` }),
      event_id: `event-${index}`,
      at: new Date(at + index),
      ...fields,
    }));
    if (stored.length > 0) await services.db.auditEvents.insertMany(stored);
    const answer = await send(`${services.user}/api/v1/users/me/audit${query}`, {
      headers: { authorization: bearerOf(user, services.clock.now()) },
    });
    return { user: known, answer };
  };
  const ids = async (...args: Parameters<typeof own>) => {
    const { answer } = await own(...args);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const { total_items } = answer.body.pagination;
    expect(total_items).toBe(answer.body.data.length);
    return answer.body.data.map(({ event_id }: { event_id: string }) => event_id);
  };

  test('lists what they did, newest first', async () => {
    const { user, answer } = await own('', () => [{}, { action: 'logout' }]);
    const event = {
      outcome: 'success',
      actor: user,
      target: {},
      before: null,
      after: null,
      organization_id: null,
      department_id: null,
      address: '127.0.0.1',
    };
    const at = (index: number) => new Date(services.clock.now() + index).toISOString();
    expect(outcome(answer)).toStrictEqual({
      status: 200,
      body: {
        data: [
          { ...event, event_id: 'event-1', action: 'logout', at: at(1), request_id: 'request-1' },
          { ...event, event_id: 'event-0', action: 'login', at: at(0), request_id: 'request-0' },
        ],
        pagination: { page: 1, limit: 20, total_items: 2, total_pages: 1, has_next: false, has_prev: false },
      },
    });
  });

  test('lists the attempts with their address from before they had a user_id', async () => {
    expect(await ids('', () => [{ action: 'signup', user_id: null }])).toEqual(['event-0']);
  });

  test('lists the attempts since an older record was made', async () => {
    const made = services.clock.now() - 10_000;
    const attempts = () =>
      [-1_000, 0, 1_000].map((later) => ({
        action: 'signup',
        user_id: null,
        at: new Date(made + later),
      }));
    const older = { _id: ObjectId.createFromTime(made / 1000) };
    expect(await ids('', attempts, older)).toEqual(['event-2', 'event-1']);
  });

  test('lists what others changed about them, without the addresses of the others', async () => {
    const ada = { user_id: 'User-999999', email: 'ada@example.com' };
    const { answer } = await own('', ({ user_id: me }) => [
      { ...ada, action: 'member.grant', target: { user_id: me }, after: { role: 'Editor' } },
      { ...ada, action: 'member.grant', target: { user_id: 'User-1' }, after: { role: 'Editor' } },
      { user_id: null, email: null, action: 'billing.payment' },
    ]);
    expect(answer.body.data).toMatchObject([
      { event_id: 'event-0', actor: { user_id: ada.user_id, email: null }, address: null },
    ]);
    expect(answer.body.data).toHaveLength(1);
  });

  test('lists what jobs and provisioning changed about them, each once', async () => {
    const nobody = { user_id: null, email: null };
    const { answer } = await own('', (me) => {
      const target = { user_id: me.user_id };
      return [
        { ...nobody, action: 'scim.user', target, after: { account_status: 'disabled' } },
        { ...nobody, action: 'webhook.disable', target: { ...target, webhook_id: 'w' } },
        { user_id: null, action: 'verify', target },
        { user_id: null, email: 'eve@example.com', action: 'member.remove', target },
      ];
    });
    const { data, pagination } = answer.body;
    expect(data.map(({ event_id }: { event_id: string }) => event_id)).toEqual(
      [3, 2, 1, 0].map((index) => `event-${index}`),
    );
    expect(pagination.total_items).toBe(4);
    expect(data[0]).toMatchObject({ actor: { user_id: null, email: null }, address: null });
  });

  test('does not list events of others', async () => {
    expect(await ids('', () => [{ user_id: 'User-999998', email: 'eve@example.com' }])).toEqual([]);
  });

  test.each([
    ['?action=logout', ['event-1']],
    ['?search=LOG', ['event-1', 'event-0']],
    ['?order=asc', ['event-0', 'event-1', 'event-2']],
    ['?limit=20&page=2', []],
  ])('%s', async (query, expected) => {
    const { answer } = await own(query, () => [{}, { action: 'logout' }, { action: 'refresh' }]);
    expect(answer.body.data.map(({ event_id }: { event_id: string }) => event_id)).toEqual(expected);
  });

  test('filters by time: from is included, to is not', async () => {
    const iso = (ms: number) => encodeURIComponent(new Date(services.clock.now() + ms).toISOString());
    const three = () => [{}, {}, {}].map((_, index) => ({ event_id: `event-${index}` }));
    expect(await ids(`?from=${iso(1)}`, three)).toEqual(['event-2', 'event-1']);
    expect(await ids(`?to=${iso(1)}`, three)).toEqual(['event-0']);
    expect(await ids(`?from=${iso(1)}&to=${iso(2)}`, three)).toEqual(['event-1']);
  });

  test.each([
    ['?from=yesterday', 'from must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'],
    ['?to=2026-01-15', 'to must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'],
    ['?from=2026-01-15T09:30:00', 'from must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'],
    ['?actor=User-100001', 'querystring holds an unknown parameter'],
    ['?user_id=User-100001', 'querystring holds an unknown parameter'],
    ['?sort_by=email', 'sort_by must be one of at'],
  ])('%s: 400', async (query, details) => {
    const { answer } = await own(query);
    expect(outcome(answer)).toStrictEqual({
      status: 400,
      body: errorEnvelope('INVALID_FORMAT', 'The request is malformed', { details }),
    });
  });

  test('refuses an unknown action', async () => {
    expect((await own('?action=fly')).answer.body.error.details).toMatch(/^action must be one of signup, /);
  });

  test('refuses an account without a user_id, and a call without a bearer', async () => {
    const url = `${services.user}/api/v1/users/me/audit`;
    const user = await newMember(services.db, { user_id: undefined });
    const headers = { authorization: bearerOf(user, services.clock.now()) };
    expect((await send(url, { headers })).status).toBe(403);
    expect((await send(url)).status).toBe(401);
  });
});

test('what is typed as an address and is none is neither stored nor logged', async () => {
  const typed = 'my-Pass phrase';
  services.logged.length = 0;
  const left = await eventsOf(services, async () => {
    const fields = { email: typed, otp: '123456', new_password: SECRET };
    for (const operation of ['forgot-password', 'verify-otp', 'reset-password'])
      expect(await post(operation, fields)).toBe(404);
    expect(await post('signup', { email: typed, password: SECRET, name: 'Ada' })).toBe(400);
  });
  expect(left.map((event) => [event.action, event.email])).toEqual(
    ['forgot', 'verify', 'reset'].map((action) => [action, '[not an address]']),
  );
  expect(services.logged.join('')).not.toMatch(/phrase/i);
});

test('an address of an older record is audited as it is stored', async () => {
  const { email: older, user_id } = await newMember(services.db, { email: 'Grüße@example.com' });
  const left = await eventsOf(services, () => post('forgot-password', { email: older }));
  expect(left).toMatchObject([{ action: 'forgot', email: 'grüße@example.com', user_id }]);
});
