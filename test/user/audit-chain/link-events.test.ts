import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { eraseAudit } from '../../../services/user/account/deletion/erase-audit.ts';
import type { ArchiveJob } from '../../../services/user/archive/jobs/job.ts';
import { linkEvents } from '../../../services/user/audit-chain/link-events.ts';
import { type AuditTrail, auditTrail, DAY, silent, twoDays } from './audit-trail.ts';

let trail: AuditTrail;
beforeEach(async () => {
  trail = await auditTrail();
});
afterEach(() => trail.drop());

const links = () => trail.db.auditChain.find({}).sort({ _id: 1 }).toArray();
const unlinked = () => trail.db.auditEvents.countDocuments({ unlinked: true });
const storeMany = async (count: number) => {
  for (let index = 0; index < count; index += 1)
    await trail.store({ action: 'login', email: 'a@example.com' });
};

test('links events in order, in several batches, each once', async () => {
  await storeMany(7);
  await trail.link();
  await trail.link();
  const events = await trail.db.auditEvents.find({}).sort({ event_id: 1 }).toArray();
  expect((await links()).map(({ _id, event_id }) => [_id, event_id])).toEqual(
    events.map(({ event_id }, index) => [index + 1, event_id]),
  );
  expect(await unlinked()).toBe(0);
  expect(await trail.verify()).toMatchObject({ links: 7, events: 7, problem_count: 0 });
});

test('an event that is stored late is linked late', async () => {
  const late = await trail.store({ action: 'login', email: 'a@example.com' });
  await trail.db.auditEvents.deleteOne({ event_id: late.event_id });
  await storeMany(2);
  await trail.link();
  trail.clock.advance(DAY);
  await trail.db.auditEvents.insertOne(late);
  await trail.link();
  expect((await links()).at(-1)).toMatchObject({ _id: 3, event_id: late.event_id });
  expect(await trail.problems()).toEqual([]);
});

test('a clock that is behind adds to the day that has begun', async () => {
  await storeMany(1);
  await trail.link();
  trail.clock.advance(-2 * DAY);
  await trail.db.auditLeases.updateMany({}, { $set: { until: new Date(0) } });
  await storeMany(1);
  await trail.link();
  const [first, second] = await links();
  expect(second?.day).toEqual(first?.day);
  expect(await trail.problems()).toEqual([]);
});

describe('a kill', () => {
  test('after the links and before the marks are removed repeats nothing', async () => {
    await storeMany(3);
    await trail.link();
    await trail.db.auditEvents.updateMany({}, { $set: { unlinked: true } });
    await storeMany(2);
    await trail.link();
    expect((await links()).map(({ _id }) => _id)).toEqual([1, 2, 3, 4, 5]);
    expect(await trail.problems()).toEqual([]);
  });

  test('in the middle of a batch leaves its beginning', async () => {
    await storeMany(3);
    const insertMany = trail.db.auditChain.insertMany.bind(trail.db.auditChain);
    const killed = vi.spyOn(trail.db.auditChain, 'insertMany').mockImplementationOnce(async (entries) => {
      await insertMany(entries.slice(0, 2));
      throw new Error('killed');
    });
    await expect(trail.link()).rejects.toThrow('killed');
    killed.mockRestore();
    // The lease of the killed process.
    trail.clock.advance(10);
    await trail.link();
    expect((await links()).map(({ _id }) => _id)).toEqual([1, 2, 3]);
    expect(await trail.problems()).toEqual([]);
  });

  test('of the lease keeps others away until it ends', async () => {
    await storeMany(1);
    const until = new Date(trail.clock.now() + 5_000);
    await trail.db.auditLeases.updateOne({ _id: 'link' }, { $set: { until, holder: 'killed' } });
    await trail.link();
    expect(await links()).toEqual([]);
    trail.clock.advance(5);
    await trail.link();
    expect(await links()).toHaveLength(1);
  });
});

test('two processes that both hold the lease link each event once', async () => {
  await storeMany(9);
  const without = { ...trail.db, auditLeases: noLease() };
  const options = { db: without, now: trail.clock.now, log: silent, batch: 3 };
  for (let round = 0; round < 10; round += 1)
    await Promise.allSettled([linkEvents(options), linkEvents(options), linkEvents(options)]);
  expect(await unlinked()).toBe(0);
  expect(await trail.verify()).toMatchObject({ links: 9, events: 9, problem_count: 0 });
});

/** Leases that anybody gets. */
const noLease = () =>
  ({
    findOne: async () => ({ _id: 'link', passes: 2 }),
    updateOne: async () => ({ matchedCount: 1 }),
    findOneAndUpdate: async () => ({ _id: 'link', passes: 2 }),
  }) as unknown as AuditTrail['db']['auditLeases'];

test('events of an earlier version are linked, and get salts', async () => {
  await trail.db.auditLeases.deleteMany({});
  await storeMany(2);
  await trail.db.auditEvents.updateMany({}, { $unset: { unlinked: true, salts: true } });
  await trail.link();
  await trail.link();
  expect(await trail.verify()).toMatchObject({ links: 2, events: 2, problem_count: 0 });
  // While the new version is rolled out, the earlier one goes on.
  await storeMany(1);
  await trail.db.auditEvents.updateMany({ unlinked: true }, { $unset: { unlinked: true, salts: true } });
  await trail.link();
  await trail.sign();
  const { waiting, notes } = await trail.verify();
  expect([waiting, notes]).toEqual([1, [expect.stringMatching(/^Events of an earlier version are still/)]]);
  trail.clock.advance(DAY);
  await trail.link();
  await trail.link();
  expect(await trail.verify()).toMatchObject({ links: 3, events: 3, waiting: 0, problem_count: 0 });
  expect((await links()).every(({ personal }) => personal.actor !== null)).toBe(true);
});

describe('what may change', () => {
  const erase = () => {
    const job = { db: trail.db, renew: async () => {} } as unknown as ArchiveJob;
    const until = new Date(trail.clock.now());
    return eraseAudit(job, { user_id: 'User-1', email: 'ada@example.com', until });
  };

  test('the personal fields of an account that was deleted', async () => {
    await trail.store({
      action: 'login',
      email: 'ada@example.com',
      address: '203.0.113.9',
      outcome: 'throttled',
    });
    await twoDays(trail);
    await trail.store({ action: 'account.delete', target: { user_id: 'User-1' } });
    await trail.link();
    await erase();
    await trail.sign();
    expect(await trail.verify()).toMatchObject({ links: 8, events: 8, erased: 7, problem_count: 0 });
    // No salt of theirs is left, by which an address could be guessed.
    const stored = await trail.db.auditEvents.find({}).toArray();
    expect(
      stored.flatMap(({ action, salts }) => Object.keys(salts ?? {}).map((part) => [action, part])),
    ).toEqual([
      ['invitation.create', 'target'],
      ['invitation.create', 'change'],
    ]);
  });

  test('but an erased event is still compared with its link', async () => {
    const [login] = await twoDays(trail);
    await trail.store({ action: 'account.delete', target: { user_id: 'User-1' } });
    await trail.link();
    await erase();
    await trail.db.auditEvents.updateOne(
      { event_id: login?.event_id ?? '' },
      { $set: { outcome: 'refused' } },
    );
    expect(await trail.problems()).toEqual([
      expect.stringMatching(/^The event "login" .* its outcome, account/),
    ]);
  });

  test('an attempt that belongs to an account with the address', async () => {
    await trail.db.users.insertOne({ user_id: 'User-1', email: 'Ada@example.com' } as never);
    await trail.store({ action: 'login', email: 'ada@example.com', outcome: 'throttled' });
    await trail.link();
    await trail.db.auditEvents.updateMany({ action: 'login' }, { $set: { user_id: 'User-1' } });
    expect(await trail.problems()).toEqual([]);
    // Also after the address has changed.
    await trail.store({
      action: 'email.change',
      user_id: 'User-1',
      email: 'new@example.com',
      before: { email: 'Ada@example.com' },
      after: { email: 'new@example.com' },
    });
    await trail.link();
    await trail.db.users.updateOne({ user_id: 'User-1' }, { $set: { email: 'new@example.com' } });
    expect(await trail.problems()).toEqual([]);
  });

  test.each<[string, Partial<AuditEvent>]>([
    ['to an account without the address', { user_id: 'User-2' }],
    ['to nobody that exists', { user_id: 'User-3' }],
  ])('but not %s', async (_, change) => {
    await trail.db.users.insertMany([
      { user_id: 'User-1', email: 'ada@example.com' },
      { user_id: 'User-2', email: 'eve@example.com' },
    ] as never);
    await trail.store({ action: 'login', email: 'ada@example.com', outcome: 'throttled' });
    await trail.link();
    await trail.db.auditEvents.updateMany({ action: 'login' }, { $set: change });
    expect(await trail.problems()).toEqual([
      expect.stringMatching(new RegExp(`was changed: its account, which is now ${change.user_id}\\.$`)),
    ]);
  });

  test('the mark of the webhooks', async () => {
    await twoDays(trail);
    await trail.db.auditEvents.updateMany({}, { $unset: { relay: true } });
    expect(await trail.problems()).toEqual([]);
  });
});
