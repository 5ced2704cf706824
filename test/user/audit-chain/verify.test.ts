import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { commitmentsOf, fixedDigest, linkOf } from '@gatehouse/shared/identity/audit-chain/commitments';
import { dayOf } from '@gatehouse/shared/identity/audit-chain/records';
import type { UpdateFilter } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AuditTrail, auditTrail, DAY, twoDays } from './audit-trail.ts';

let trail: AuditTrail;
let events: AuditEvent[];
beforeEach(async () => {
  trail = await auditTrail();
  events = await twoDays(trail);
});
afterEach(() => trail.drop());

const named = ({ action, at, event_id }: AuditEvent, index = 0) =>
  `${'Tt'[index]}he event "${action}" of ${at.toISOString()} (${event_id})`;
const eventAt = (index: number): AuditEvent => events[index] as AuditEvent;
const remove = (...indexes: number[]) =>
  trail.db.auditEvents.deleteMany({ event_id: { $in: indexes.map((index) => eventAt(index).event_id) } });

test('a trail that nobody touched', async () => {
  const { head, ...report } = await trail.verify();
  expect(report).toEqual({
    links: 6,
    events: 6,
    days: 2,
    signed_days: 2,
    aged: 0,
    erased: 0,
    waiting: 0,
    notes: [],
    problem_count: 0,
    problems: [],
  });
  expect(head).toMatch(/^6:[\w-]{43}$/);
});

describe('a changed event is named', () => {
  const OTHER = 'its outcome, account, target, organization, department or request';
  const ACTOR = 'the e-mail address, network address or session of its actor';
  const CHANGE = 'its changed fields (before and after)';
  const TARGET = 'the e-mail address of its target';
  test.each<[number, UpdateFilter<AuditEvent>, string]>([
    [0, { $set: { action: 'logout' } }, 'its action, which is now logout'],
    [0, { $set: { at: new Date(Date.UTC(2126, 0)) } }, 'its time, which is now 2126-01-01T00:00:00.000Z'],
    [0, { $set: { event_id: 'other' } }, 'its id, which is now other'],
    [0, { $set: { outcome: 'Invalid password' } }, OTHER],
    [0, { $set: { user_id: 'User-2' } }, OTHER],
    [0, { $set: { user_id: null } }, OTHER],
    [0, { $set: { request_id: 'other' } }, OTHER],
    [0, { $set: { organization_id: 'o' } }, OTHER],
    [0, { $set: { department_id: 'd' } }, OTHER],
    [0, { $set: { 'target.user_id': 'User-2' } }, OTHER],
    [0, { $set: { added: true } as never }, OTHER],
    [2, { $unset: { 'target.invitation_id': true } }, OTHER],
    [0, { $set: { email: 'eve@example.com' } }, ACTOR],
    [0, { $set: { address: '203.0.113.1' } }, ACTOR],
    [0, { $set: { 'session.id': 'two' } }, ACTOR],
    [0, { $set: { 'session.device': 'curl' } }, ACTOR],
    [0, { $unset: { session: true } }, ACTOR],
    [0, { $unset: { 'salts.actor': true } }, ACTOR],
    [0, { $set: { 'salts.actor': 'other' } }, ACTOR],
    [0, { $set: { email: null, address: null }, $unset: { session: true } }, ACTOR],
    [
      0,
      { $set: { email: null, address: null }, $unset: { session: true, 'salts.actor': true } },
      `${ACTOR} is gone, and no account was deleted`,
    ],
    [0, { $set: { after: { name: 'Eve' } } }, CHANGE],
    [1, { $set: { 'after.name': 'Eve' } }, CHANGE],
    [1, { $set: { before: null } }, CHANGE],
    [
      1,
      { $set: { before: null, after: null }, $unset: { 'salts.change': true } },
      `${CHANGE} is gone, and no account was deleted`,
    ],
    [2, { $set: { 'target.email': 'eve@example.com' } }, TARGET],
    [2, { $unset: { 'target.email': true } }, TARGET],
    [
      2,
      { $unset: { 'target.email': true, 'salts.target': true } },
      `${TARGET} is gone, and no account was deleted`,
    ],
  ])('event %i after %j', async (index, update, change) => {
    const event = eventAt(index);
    await trail.db.auditEvents.updateOne({ event_id: event.event_id }, update);
    expect(await trail.problems()).toEqual([`${named(event)} was changed: ${change}.`]);
  });
});

describe('a removed event is named', () => {
  test.each([[0], [1], [2], [3], [4], [5]])('event %i', async (index) => {
    await remove(index);
    expect(await trail.problems()).toEqual([`${named(eventAt(index))} was removed.`]);
  });

  test('with its link, the first of a day', async () => {
    await remove(3);
    await trail.db.auditChain.deleteOne({ _id: 4 });
    expect(await trail.problems()).toEqual([
      `Link 4 was removed from the chain, before ${named(eventAt(4), 1)}.`,
      '2126-01-18 was signed from position 4 on, and begins at 5.',
      '2126-01-18 has 2 links, and 3 were signed: some were removed.',
    ]);
  });

  test('with its link, in the middle of a day', async () => {
    await remove(1);
    await trail.db.auditChain.deleteOne({ _id: 2 });
    expect(await trail.problems()).toEqual([
      `Link 2 was removed from the chain, before ${named(eventAt(2), 1)}.`,
      '2126-01-17 has 2 links, and 3 were signed: some were removed.',
    ]);
  });

  test('with its link, from the end of a day that is over', async () => {
    await remove(2);
    await trail.db.auditChain.deleteOne({ _id: 3 });
    expect(await trail.problems()).toEqual([
      `Link 3 was removed from the chain, before ${named(eventAt(3), 1)}.`,
      '2126-01-17 has 2 links, and 3 were signed: some were removed.',
    ]);
  });

  test('with its link, from the end of the day that is open', async () => {
    await remove(5);
    await trail.db.auditChain.deleteOne({ _id: 6 });
    expect(await trail.problems()).toEqual(['2126-01-18 has 2 links, and 3 were signed: some were removed.']);
  });

  test('with its link and the anchor, if the link was written down elsewhere', async () => {
    const { head } = await trail.verify();
    const [position, link = ''] = String(head).split(':');
    const expected = { position: Number(position), link };
    expect(await trail.problems({ expected })).toEqual([]);
    await remove(5);
    await trail.db.auditChain.deleteOne({ _id: 6 });
    await trail.db.auditAnchors.deleteOne({ _id: '2126-01-18' });
    expect(await trail.problems({ expected })).toEqual([
      'Link 6 was expected and does not exist: the end of the chain was removed.',
    ]);
    // The process that has signed it does not sign the rest of the day.
    expect((await trail.sign()).faults).toEqual([
      'the anchor of 2126-01-18 was removed or replaced by an earlier one',
    ]);
    expect(await trail.db.auditAnchors.countDocuments()).toBe(1);
  });

  test('with all links of a day and its anchor', async () => {
    await trail.db.auditChain.deleteMany({ _id: { $lte: 3 } });
    await trail.db.auditAnchors.deleteOne({ _id: '2126-01-17' });
    await remove(0, 1, 2);
    expect(await trail.problems()).toEqual([
      'The chain begins at position 4 (2126-01-18): the 3 links before it were removed before their time.',
    ]);
  });

  test('with all links of the last day', async () => {
    await trail.db.auditChain.deleteMany({ _id: { $gt: 3 } });
    await remove(3, 4, 5);
    expect(await trail.problems()).toEqual(['All 3 links of 2126-01-18 were removed: they were signed.']);
  });

  test('not if it was removed by age', async () => {
    trail.clock.advance(398 * DAY);
    await remove(0);
    expect(await trail.problems()).toEqual([`${named(eventAt(0))} was removed.`]);
    trail.clock.advance(DAY);
    expect(await trail.verify()).toMatchObject({ problem_count: 0, aged: 1, events: 5 });
  });

  test('nor links that were', async () => {
    await trail.db.auditEvents.deleteMany({});
    trail.clock.advance(798 * DAY);
    await trail.db.auditChain.deleteMany({ _id: { $lte: 3 } });
    expect(await trail.problems()).not.toEqual([]);
    trail.clock.advance(DAY);
    expect(await trail.verify()).toMatchObject({ problem_count: 0, aged: 3, links: 3, signed_days: 1 });
  });
});

describe('an inserted event is named', () => {
  test('without a link', async () => {
    const { _id, unlinked, ...copy } = eventAt(0) as AuditEvent & { _id: unknown };
    await trail.db.auditEvents.insertOne(copy as AuditEvent);
    expect(await trail.problems()).toEqual([
      `${named(eventAt(0))} has no link: it was inserted, or its link was removed.`,
    ]);
  });

  test('linked into a day that is over', async () => {
    const forged = await trail.store({ action: 'logout', user_id: 'User-1' });
    const entry = await forge(forged, 4, eventAt(0).at);
    await trail.db.auditChain.deleteOne({ _id: 4 });
    await trail.db.auditChain.insertOne(entry);
    expect(await trail.problems()).toEqual([
      expect.stringMatching(/^Link 5 does not follow the one before it/),
      '2126-01-18 was signed from position 4 on, and begins at 5.',
      '2126-01-17 has 4 links, and was over with 3: some were added later.',
      '2126-01-18 has 2 links, and 3 were signed: some were removed.',
      `${named(eventAt(3))} has no link: it was inserted, or its link was removed.`,
    ]);
  });

  test('but not one that waits for its link', async () => {
    await trail.store({ action: 'logout', user_id: 'User-1' });
    expect(await trail.verify()).toMatchObject({ problem_count: 0, waiting: 1, notes: [] });
    trail.clock.advance(3600);
    expect((await trail.verify()).notes).toEqual([
      expect.stringMatching(/^Events wait for their links since .* see that a user service runs\.$/),
    ]);
  });
});

/** The entry that a forger would put at a position, who knows how links are made. */
async function forge(event: AuditEvent & { _id?: unknown }, position: number, at: Date) {
  const before = await trail.db.auditChain.findOne({ _id: position - 1 });
  const entry = {
    _id: position,
    day: dayOf(at.getTime()),
    event: event._id as string,
    event_id: event.event_id,
    action: event.action,
    at: event.at,
    fixed: fixedDigest(event),
    personal: commitmentsOf(event),
  };
  return { ...entry, link: linkOf(before?.link ?? '', entry) };
}

/** Links a day anew after its events were changed, as somebody would who has the database and not the key. */
async function relink(from: number): Promise<void> {
  const entries = await trail.db.auditChain
    .find({ _id: { $gte: from } })
    .sort({ _id: 1 })
    .toArray();
  for (const { _id, event: ref, day } of entries) {
    const event = await trail.db.auditEvents.findOne({ _id: ref as never });
    if (event) await trail.db.auditChain.replaceOne({ _id }, await forge(event, _id, day));
  }
}

describe('a chain that was changed', () => {
  test('in one field', async () => {
    await trail.db.auditChain.updateOne({ _id: 2 }, { $set: { action: 'login' } });
    expect(await trail.problems()).toEqual([
      expect.stringMatching(/^Link 2 does not follow the one before it: it was changed or put there later\./),
    ]);
  });

  test('by exchanging two links', async () => {
    const [a, b] = await trail.db.auditChain
      .find({ _id: { $in: [1, 2] } })
      .sort({ _id: 1 })
      .toArray();
    if (!a || !b) throw new Error('no links');
    await trail.db.auditChain.deleteMany({ _id: { $in: [1, 2] } });
    await trail.db.auditChain.insertMany([
      { ...b, _id: 1 },
      { ...a, _id: 2 },
    ]);
    expect(await trail.problems()).toEqual([
      expect.stringMatching(/^Link 1 does not follow/),
      expect.stringMatching(/^Link 2 does not follow/),
      expect.stringMatching(/^Link 3 does not follow/),
    ]);
  });

  test('and linked anew, the first day', async () => {
    await trail.db.auditEvents.updateOne({ event_id: eventAt(1).event_id }, { $set: { outcome: 'refused' } });
    await relink(1);
    expect(await trail.problems()).toEqual([
      '2126-01-17 was linked anew: position 3 is not what was signed.',
      '2126-01-18 was linked anew: position 6 is not what was signed.',
    ]);
  });

  test('and linked anew, the open day', async () => {
    await trail.db.auditEvents.updateOne({ event_id: eventAt(4).event_id }, { $set: { outcome: 'refused' } });
    await relink(4);
    expect(await trail.problems()).toEqual([
      '2126-01-18 was linked anew: position 6 is not what was signed.',
    ]);
    expect((await trail.signAnew()).faults).toEqual([
      '2126-01-18 was signed up to position 6, which was changed since',
    ]);
  });
});
