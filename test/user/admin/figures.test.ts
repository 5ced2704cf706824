import { type AuditEvent, orderedUuid } from '@gatehouse/shared/identity/audit';
import { expect, test, vi } from 'vitest';
import { foldAudit } from '../../../services/user/admin/figures/fold-audit.ts';
import { createTallies, talliedMailer } from '../../../services/user/admin/figures/tally.ts';
import type { Mailer } from '../../../services/user/mail/mailer.ts';
import { malformed } from '../access/failures.ts';
import { read, service, withAdmin } from './operator-service.ts';

withAdmin();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const store = (at: number, action: AuditEvent['action'], outcome = 'success') =>
  service.db.auditEvents.insertOne({
    event_id: orderedUuid(),
    at: new Date(at),
    action,
    outcome,
    user_id: null,
    email: null,
    target: {},
    before: null,
    after: null,
    organization_id: null,
    department_id: null,
    address: null,
    request_id: 'request',
  });

const EMPTY = {
  signups: 0,
  verifications: 0,
  logins: 0,
  refused_logins: 0,
  refused_for: {},
  codes_mailed: 0,
  notices_mailed: 0,
  mails_failed: 0,
  webhook_deliveries: 0,
  webhook_failures: 0,
  account_deletions: 0,
};

/** The beginning of an hour of the future that no other test uses. */
let hours = 0;
const newHour = () => {
  hours += 50;
  return Math.ceil(service.clock.now() / HOUR) * HOUR + hours * HOUR;
};
const iso = (at: number) => new Date(at).toISOString();
const figures = async (by: string, from: number, to: number) =>
  (await read(`/figures?by=${by}&from=${iso(from)}&to=${iso(to)}`)).body;

test('begins with the hour of the oldest event', async () => {
  const { db, clock } = service;
  const began = clock.now() - (clock.now() % HOUR);
  await foldAudit(db, clock.now);
  expect(await db.hourFigures.countDocuments()).toBe(0);
  await store(began - 2 * HOUR + 1, 'login');
  await foldAudit(db, clock.now);
  const hours = await db.hourFigures.find().sort({ _id: 1 }).toArray();
  expect(hours.map(({ _id }) => _id.getTime()).slice(0, 2)).toEqual([began - 2 * HOUR, began - HOUR]);
  expect(hours[0]?.counts).toStrictEqual([{ action: 'login', outcome: 'success', count: 1 }]);
  await Promise.all([db.hourFigures.deleteMany(), db.auditEvents.deleteMany()]);
});

test('counts the audit events of each hour once, and those of a minute when it has settled', async () => {
  const { db } = service;
  const hour = newHour();
  await store(hour, 'signup');
  await store(hour + 1, 'signup', 'Email already registered');
  await store(hour + 2, 'verify');
  await store(hour + 3, 'login');
  await store(hour + 4, 'sso.login');
  await store(hour + 5, 'login', 'Invalid credentials');
  await store(hour + 6, 'login', 'Invalid credentials');
  await store(hour + 7, 'sso.login', 'refused');
  await store(hour + 8, 'refresh');
  await store(hour + HOUR - 1, 'account.delete');
  await store(hour + HOUR, 'login');
  await db.hourFigures.insertOne({
    _id: new Date(hour - HOUR),
    hour: new Date(hour - HOUR),
    until: new Date(hour),
    counts: [],
  });
  await Promise.all(Array.from({ length: 4 }, () => foldAudit(db, () => hour + 121_000)));
  await foldAudit(db, () => hour + 2 * HOUR);
  const answer = await figures('hour', hour, hour + 2 * HOUR);
  expect(answer).toStrictEqual({
    by: 'hour',
    from: iso(hour),
    to: iso(hour + 2 * HOUR),
    counted_until: iso(hour + 2 * HOUR - 60_000),
    data: [
      {
        ...EMPTY,
        at: iso(hour),
        signups: 1,
        verifications: 1,
        logins: 2,
        refused_logins: 3,
        refused_for: { 'Invalid credentials': 2, refused: 1 },
        account_deletions: 1,
      },
      { ...EMPTY, at: iso(hour + HOUR), logins: 1 },
    ],
  });
  const day = hour - (hour % DAY);
  const byDay = await figures('day', hour, hour + 1);
  expect(byDay).toMatchObject({ from: iso(day), to: iso(day + DAY) });
  expect(byDay.data).toHaveLength(1);
  expect(byDay.data[0].refused_for).toEqual({ 'Invalid credentials': 2, refused: 1 });
});

test('an outcome with the name of a property is a reason like others', async () => {
  const { db } = service;
  const hour = new Date(newHour());
  const counts = ['__proto__', 'constructor', 'toString'].map((outcome) => ({
    action: 'login',
    outcome,
    count: 2,
  }));
  await db.hourFigures.insertOne({ _id: hour, hour, until: new Date(hour.getTime() + HOUR), counts });
  const [{ refused_logins, refused_for }] = (await figures('hour', hour.getTime(), hour.getTime() + HOUR))
    .data;
  expect(refused_logins).toBe(6);
  expect(refused_for.constructor).toBe(2);
  expect(refused_for.toString).toBe(2);
});

test('mails and webhook attempts are counted by each process and added to the hour', async () => {
  const { db } = service;
  const hour = newHour();
  const [one, other] = [createTallies(), createTallies()];
  const mailer = talliedMailer(
    {
      sendOtp: async () => {},
      sendLoginCode: async () => {},
      sendNotice: async () => {},
      sendOffer: () => Promise.reject(new Error('refused')),
      verify: async () => 'well',
      close() {},
    } as unknown as Mailer,
    one,
  );
  const to = { email: 'ada@example.com' };
  await mailer.sendOtp(to, '123456', 60);
  await mailer.sendLoginCode(to, {} as never);
  await mailer.sendNotice(to, {} as never);
  await expect(mailer.sendOffer(to, {} as never)).rejects.toThrow('refused');
  expect(await mailer.verify()).toBe('well');
  other.count('webhook_deliveries');
  other.count('webhook_failures');
  await Promise.all([one.flush(db, hour + 1), other.flush(db, hour + 2)]);
  await one.flush(db, hour + 3);
  other.count('webhook_failures');
  vi.spyOn(db.hourTallies, 'updateOne').mockRejectedValueOnce(new Error('down'));
  await expect(other.flush(db, hour + 4)).rejects.toThrow('down');
  await other.flush(db, hour + 5);
  expect((await figures('hour', hour, hour + 1)).data).toStrictEqual([
    {
      ...EMPTY,
      at: iso(hour),
      codes_mailed: 2,
      notices_mailed: 1,
      mails_failed: 1,
      webhook_deliveries: 1,
      webhook_failures: 2,
    },
  ]);
});

test.each([
  ['by=week', 'by must be one of hour, day'],
  ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from must be before to'],
  ['from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from must be before to'],
  ['from=2026-01-01T00:00:00Z&to=2026-02-02T00:00:00Z', 'from and to must be at most 31 days apart'],
  ['by=day&from=2024-01-01T00:00:00Z&to=2026-02-02T00:00:00Z', 'from and to must be at most 400 days apart'],
  ['from=0', 'from must be an ISO 8601 date-time such as 2026-01-15T09:30:00Z'],
  ['from[$gt]=0', 'querystring holds an unknown parameter'],
])('refuses ?%s', async (query, details) => {
  expect(await read(`/figures?${query}`)).toStrictEqual(malformed(details, service.clock));
});

test('mails that fail need attention, unless nearly all are accepted', async () => {
  const { db, clock } = service;
  const hour = new Date(clock.now() - (clock.now() % HOUR));
  const kinds = async () => (await read('/attention')).body.data.map(({ kind }: { kind: string }) => kind);
  await db.hourTallies.insertOne({ _id: hour, hour, codes_mailed: 91, mails_failed: 9 });
  expect(await kinds()).not.toContain('mails_failing');
  await db.hourTallies.updateOne({ _id: hour }, { $set: { mails_failed: 11 } });
  expect((await read('/attention')).body.data).toContainEqual({
    kind: 'mails_failing',
    severity: 'error',
    count: 11,
    text: '11 of 102 mails of the last 2 hours were not accepted',
    names: [],
  });
});
