import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import { machineKeyCollections } from '@gatehouse/shared/identity/machine-keys/records';
import { type OperatorLevel, operatorCollections } from '@gatehouse/shared/identity/operators';
import { createAuthenticate } from '@gatehouse/shared/identity/principal';
import { ssoDomainCollections } from '@gatehouse/shared/identity/sso';
import { createTokens, newSessionId, type SupportMode } from '@gatehouse/shared/identity/tokens';
import { userCollections } from '@gatehouse/shared/identity/users';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { watchedDatabase } from '../../fixtures/database.ts';
import { newMember } from '../../fixtures/members.ts';

const NOW = Date.UTC(2026, 0, 15, 9, 30);
const COLLECTIONS = {
  ...userCollections,
  ...operatorCollections,
  ...machineKeyCollections,
  ...ssoDomainCollections,
};
const tokens = createTokens({ JWT_SECRET: 'a secret that only this file knows, 32 bytes and more' });

let db: DatabaseConnection<typeof COLLECTIONS>;
let drop: () => Promise<void>;
let commands: string[];
let authenticate: ReturnType<typeof createAuthenticate>;
let person: { email: string; user_id: string };
let operator: string;
beforeAll(async () => {
  ({ db, drop, commands } = await watchedDatabase(COLLECTIONS));
  authenticate = createAuthenticate(db, tokens);
});
afterAll(() => drop());
beforeEach(async () => {
  const [one, other] = [await newMember(db), await newMember(db)];
  person = { email: one.email, user_id: String(one.user_id) };
  operator = String(other.user_id);
});

const add = (_id: string, level: OperatorLevel) =>
  db.operators.insertOne({ _id, level, added_at: new Date(NOW), added_by: 'command line' });
const token = (mode: SupportMode, began = NOW, sid = newSessionId(began)) =>
  `Bearer ${tokens.supportSession(person, { mode, operator }, began, { lifetime: 3600, sid })}`;
const check = (mode: SupportMode, now = NOW) => outcome(authenticate(token(mode), now));
const outcome = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error) => error.reason,
  );

test('is that of the person, with the operator, and never confirmed', async () => {
  await add(operator, 'support');
  commands.length = 0;
  const sid = newSessionId(NOW);
  expect(await authenticate(token('read', NOW, sid), NOW)).toMatchObject({
    user: { user_id: person.user_id },
    session: { id: sid, support: { mode: 'read', operator } },
    confirmedAt: 0,
  });
  expect(commands.toSorted()).toEqual(['find', 'find', 'find']);
});

test.each<[OperatorLevel, SupportMode, string]>([
  ['support', 'read', 'accepted'],
  ['support', 'full', 'invalidToken'],
  ['admin', 'read', 'accepted'],
  ['admin', 'full', 'accepted'],
])('an operator of the level %s and a session that is %s: %s', async (level, mode, expected) => {
  await add(operator, level);
  expect(await check(mode)).toBe(expected);
});

test('ends when the operator is removed, lowered or of an unknown level', async () => {
  await add(operator, 'admin');
  expect(await check('full')).toBe('accepted');
  await db.operators.updateOne({ _id: operator }, { $set: { level: 'support' } });
  expect([await check('full'), await check('read')]).toEqual(['invalidToken', 'accepted']);
  await db.operators.updateOne({ _id: operator }, { $set: { level: 'other' as OperatorLevel } });
  expect(await check('read')).toBe('invalidToken');
  await db.operators.deleteOne({ _id: operator });
  expect(await check('read')).toBe('invalidToken');
});

test('nobody acts as an operator, also one who has become one since', async () => {
  await add(operator, 'admin');
  await add(person.user_id, 'support');
  expect(await check('read')).toBe('invalidToken');
});

test.each<[string, object]>([
  ['is disabled', { account_status: 'disabled' }],
  ['is paused', { account_status: 'paused' }],
  ['is not verified', { verified: false }],
  ['has had all its sessions ended', { sessions_valid_from: new Date(NOW) }],
  ['has ended its other sessions', { others_ended: { at: new Date(NOW), kept: 'another' } }],
])('ends when the account of the operator %s', async (_, fields) => {
  await add(operator, 'admin');
  expect(await check('read')).toBe('accepted');
  await db.users.updateOne({ user_id: operator }, { $set: fields });
  expect(await check('read')).toBe('invalidToken');
});

test('ends when the account of the operator is deleted', async () => {
  await add(operator, 'admin');
  await db.users.deleteOne({ user_id: operator });
  expect(await check('read')).toBe('invalidToken');
});

test.each<[string, object]>([
  ['is disabled', { account_status: 'disabled' }],
  ['has had all its sessions ended', { sessions_valid_from: new Date(NOW) }],
  ['has ended its other sessions', { others_ended: { at: new Date(NOW), kept: 'another' } }],
])('ends when the account of the person %s', async (_, fields) => {
  await add(operator, 'admin');
  await db.users.updateOne({ user_id: person.user_id }, { $set: fields });
  expect(await check('read')).toBe('invalidToken');
});

test('an hour later it has expired', async () => {
  await add(operator, 'admin');
  expect(await check('read', NOW + 3_599_000)).toBe('accepted');
  expect(await check('read', NOW + 3_600_000)).toBe('tokenExpired');
});
