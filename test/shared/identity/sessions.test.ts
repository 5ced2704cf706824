import { createSecretKey } from 'node:crypto';
import { endSession, hasEnded, type Session, sessionOf } from '@gatehouse/shared/identity/sessions';
import { newSessionId } from '@gatehouse/shared/identity/tokens';
import { userCollections as COLLECTIONS } from '@gatehouse/shared/identity/users';
import jwt from 'jsonwebtoken';
import type { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Accounts, freshDatabase } from '../../fixtures/database.ts';
import { newMember } from '../../fixtures/members.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30, 0, 123);
const HOUR = 3_600_000;
const CLAIMS = { email: 'ada@example.com', user_id: 'User-483920', exp: NOW / 1000 + 3600 };

describe('session IDs', () => {
  test('are UUIDv7 with the start time in milliseconds', () => {
    for (const began of [0, 1, NOW, 2 ** 48 - 1]) {
      const sid = newSessionId(began);
      expect(sid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(sessionOf('a.b.c', sid, CLAIMS)).toEqual({ id: sid, hasId: true, beganAt: began });
    }
  });

  test('differ even within one millisecond', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newSessionId(NOW))).size).toBe(10_000);
  });

  test('are a digest of a token without sid, with a start one hour before it expires', () => {
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

  test('never contain the token', () => {
    const token = jwt.sign(CLAIMS, createSecretKey(Buffer.from('secret')));
    expect(token).not.toContain(sessionOf(token, undefined, CLAIMS).id);
  });
});

describe('hasEnded', () => {
  const session: Session = { id: 'one', hasId: true, beganAt: NOW };
  const until = new Date(NOW + HOUR);
  test.each<[string, Parameters<typeof hasEnded>[0], boolean]>([
    ['no session fields', {}, false],
    ['no session ended', { ended_sessions: [] }, false],
    ['another ended', { ended_sessions: [{ id: 'other', until }] }, false],
    ['it ended', { ended_sessions: [{ id: 'one', until }] }, true],
    ['it and others ended', { ended_sessions: ['a', 'one', 'b'].map((id) => ({ id, until })) }, true],
    ['all sessions ended just before it began', { sessions_valid_from: new Date(NOW - 1) }, false],
    ['all sessions ended when it began', { sessions_valid_from: new Date(NOW) }, true],
    ['all sessions ended just after it began', { sessions_valid_from: new Date(NOW + 1) }, true],
  ])('%s', (_, user, ended) => {
    expect(hasEnded(user, session)).toBe(ended);
  });
});

describe('endSession', () => {
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

  test('writes only the ID and the expiry of the last token', async () => {
    const _id = await newUser({ name: 'Ada' });
    const before = await stored(_id);
    const session = sessionBegun(NOW);
    await end(_id, session);
    expect(await stored(_id)).toEqual({
      ...before,
      ended_sessions: [{ id: session.id, until: new Date(NOW + 24 * HOUR) }],
    });
  });

  test('is idempotent', async () => {
    const _id = await newUser();
    const session = sessionBegun(NOW);
    await Promise.all([end(_id, session), end(_id, session)]);
    await end(_id, session);
    expect((await stored(_id)).ended_sessions).toHaveLength(1);
  });

  test('drops entries whose last token has expired', async () => {
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

  test('does not affect other users', async () => {
    const [ada, grace] = [await newUser(), await newUser()];
    await end(ada, sessionBegun(NOW));
    expect((await stored(grace)).ended_sessions).toBeUndefined();
  });

  test('records fifty concurrent calls', async () => {
    const _id = await newUser();
    const sessions = Array.from({ length: 50 }, () => sessionBegun(NOW));
    await Promise.all(sessions.map((session) => end(_id, session)));
    const user = await stored(_id);
    for (const session of sessions) expect(hasEnded(user, session)).toBe(true);
    expect(user.ended_sessions).toHaveLength(50);
  });

  test('the 1,001st entry ends every session and clears the list', { timeout: 60_000 }, async () => {
    const _id = await newUser();
    const sessions = Array.from({ length: 1_001 }, (_, turn) => sessionBegun(NOW + turn));
    const now = NOW + 2_000;
    // Call it for the first and the last ten; write the others directly, to save time.
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

  test('never moves sessions_valid_from back', async () => {
    const later = new Date(NOW + HOUR); // written by a process whose clock is ahead
    const until = new Date(NOW + 24 * HOUR);
    const ended_sessions = Array.from({ length: 1_000 }, (_, turn) => ({ id: String(turn), until }));
    const _id = await newUser({ sessions_valid_from: later, ended_sessions });
    await end(_id, sessionBegun(NOW + 2 * HOUR));
    expect(await stored(_id)).toMatchObject({ sessions_valid_from: later, ended_sessions: [] });
  });
});
