import { createSecretKey } from 'node:crypto';
import { newSessionId } from '@gatehouse/shared/identity/session-id';
import { endSession, hasEnded, type Session, sessionOf } from '@gatehouse/shared/identity/sessions';
import { userCollections as COLLECTIONS } from '@gatehouse/shared/identity/users';
import jwt from 'jsonwebtoken';
import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Accounts, freshDatabase } from '../../fixtures/database.ts';
import { newMember } from '../../fixtures/members.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30, 0, 123);
const HOUR = 3_600_000;
const CLAIMS = { email: 'ada@example.com', user_id: 'User-483920', exp: NOW / 1000 + 3600 };

describe('the id of a session', () => {
  test('is a UUIDv7 that tells when the session began, to the millisecond', () => {
    for (const began of [0, 1, NOW, 2 ** 48 - 1]) {
      const sid = newSessionId(began);
      expect(sid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(sessionOf('a.b.c', sid, CLAIMS)).toEqual({ id: sid, hasId: true, beganAt: began });
    }
  });

  test('differs for every session, those of one millisecond too', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newSessionId(NOW))).size).toBe(10_000);
  });

  test('of a token without one is a digest of that very token, begun an hour before it expires', () => {
    const exp = 1_800_000_000;
    const session = sessionOf('a.b.c', undefined, { ...CLAIMS, exp });
    expect(session).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      hasId: false,
      beganAt: (exp - 3600) * 1000,
    });
    expect(sessionOf('a.b.c', undefined, { ...CLAIMS, exp })).toEqual(session);
    expect(sessionOf('a.b.d', undefined, { ...CLAIMS, exp }).id).not.toBe(session.id);
  });

  test('never holds the token itself', () => {
    const token = jwt.sign(CLAIMS, createSecretKey(Buffer.from('secret')));
    expect(token).not.toContain(sessionOf(token, undefined, CLAIMS).id);
  });
});

describe('whether a session has ended', () => {
  const session: Session = { id: 'one', hasId: true, beganAt: NOW };
  const until = new Date(NOW + HOUR);
  test.each<[string, Parameters<typeof hasEnded>[0], boolean]>([
    ['a record without a word of sessions', {}, false],
    ['no session ended', { ended_sessions: [] }, false],
    ['another ended', { ended_sessions: [{ id: 'other', until }] }, false],
    ['it ended', { ended_sessions: [{ id: 'one', until }] }, true],
    ['it ended beside others', { ended_sessions: ['a', 'one', 'b'].map((id) => ({ id, until })) }, true],
    ['all until just before it ended', { sessions_valid_from: new Date(NOW - 1) }, false],
    ['all until that very millisecond ended', { sessions_valid_from: new Date(NOW) }, true],
    ['all until just after it ended', { sessions_valid_from: new Date(NOW + 1) }, true],
  ])('%s', (_, user, ended) => {
    expect(hasEnded(user, session)).toBe(ended);
  });
});

describe('ending a session', () => {
  let db: Accounts;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    ({ db, drop } = await freshDatabase(COLLECTIONS));
  });
  afterAll(() => drop());

  const newUser = async (fields?: object) => (await newMember(db, fields))._id;
  const sessionBegun = (beganAt: number): Session => ({ id: newSessionId(beganAt), hasId: true, beganAt });
  const end = (_id: ObjectId, session: Session, now = NOW, until = session.beganAt + 24 * HOUR) =>
    endSession(db.users, _id, session, until, now);
  async function stored(_id: ObjectId) {
    const user = await db.users.findOne({ _id });
    if (!user) throw new Error('no such user');
    return user;
  }

  test('writes its id and when its last token expires, and nothing else', async () => {
    const _id = await newUser({ name: 'Ada' });
    const before = await stored(_id);
    const session = sessionBegun(NOW);
    await end(_id, session);
    expect(await stored(_id)).toEqual({
      ...before,
      ended_sessions: [{ id: session.id, until: new Date(NOW + 24 * HOUR) }],
    });
  });

  test('twice leaves one entry', async () => {
    const _id = await newUser();
    const session = sessionBegun(NOW);
    await Promise.all([end(_id, session), end(_id, session)]);
    await end(_id, session);
    expect((await stored(_id)).ended_sessions).toHaveLength(1);
  });

  test('forgets those whose last token has expired anyway', async () => {
    const _id = await newUser();
    const [old, recent, last] = [NOW, NOW + 1, NOW + 24 * HOUR].map(sessionBegun) as [
      Session,
      Session,
      Session,
    ];
    await end(_id, old, NOW + 1);
    await end(_id, recent, NOW + 1);
    await end(_id, last, NOW + 24 * HOUR);
    expect((await stored(_id)).ended_sessions?.map(({ id }) => id)).toEqual([recent.id, last.id]);
  });

  test('of one user ends nobody else’s', async () => {
    const [ada, grace] = [await newUser(), await newUser()];
    await end(ada, sessionBegun(NOW));
    expect((await stored(grace)).ended_sessions).toBeUndefined();
  });

  test('fifty at once are fifty entries', async () => {
    const _id = await newUser();
    const sessions = Array.from({ length: 50 }, () => sessionBegun(NOW));
    await Promise.all(sessions.map((session) => end(_id, session)));
    const user = await stored(_id);
    for (const session of sessions) expect(hasEnded(user, session)).toBe(true);
    expect(user.ended_sessions).toHaveLength(50);
  });

  test('1,001 of them keep the record small and end every session', { timeout: 60_000 }, async () => {
    const _id = await newUser();
    const sessions = Array.from({ length: 1_001 }, (_, turn) => sessionBegun(NOW + turn));
    const now = NOW + 2_000;
    // The first and the last ten end; those between are written down as an end writes them.
    for (const session of sessions.slice(0, 10)) await end(_id, session, now);
    const until = (await stored(_id)).ended_sessions?.[0]?.until as Date;
    const between = sessions.slice(10, 990).map(({ id }) => ({ id, until }));
    await db.users.updateOne({ _id }, { $push: { ended_sessions: { $each: between } } });
    for (const session of sessions.slice(990, 1_000)) await end(_id, session, now);
    const full = await stored(_id);
    expect(full.ended_sessions).toHaveLength(1_000);
    expect(full).not.toHaveProperty('sessions_valid_from');
    const another = sessionBegun(NOW + 1_500);
    expect(hasEnded(full, another)).toBe(false);

    await end(_id, sessions[1_000] as Session, now);
    const user = await stored(_id);
    expect(user.ended_sessions).toEqual([]);
    expect(user.sessions_valid_from).toEqual(new Date(now));
    for (const session of [...sessions, another]) expect(hasEnded(user, session)).toBe(true);
    expect(hasEnded(user, sessionBegun(now + 1))).toBe(false);
  });

  test('never takes back what ended all sessions until a later moment', async () => {
    const later = new Date(NOW + HOUR); // by the clock of another process
    const until = new Date(NOW + 24 * HOUR);
    const ended_sessions = Array.from({ length: 1_000 }, (_, turn) => ({ id: String(turn), until }));
    const _id = await newUser({ sessions_valid_from: later, ended_sessions });
    await end(_id, sessionBegun(NOW + 2 * HOUR));
    expect(await stored(_id)).toMatchObject({ sessions_valid_from: later, ended_sessions: [] });
  });
});
