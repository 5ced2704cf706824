import type { Operator } from '@gatehouse/shared/identity/operators';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireApproval } from '../../../services/user/admin/approvals/require-approval.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { testClock } from '../../fixtures/clock.ts';
import { freshDatabase } from '../../fixtures/database.ts';

const clock = testClock();
let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let audited: unknown[];
let people = 0;
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
});
afterAll(() => database.drop());

const OPERATOR: Operator = {
  _id: 'User-100001',
  level: 'admin',
  added_at: new Date(0),
  added_by: 'command line',
};
const iso = (seconds = 0) => new Date(clock.now() + seconds * 1000).toISOString();

/** Asks about a person of its own. */
function asking(fields: Partial<Parameters<typeof requireApproval>[1]> = {}) {
  people += 1;
  const person_id = `User-${200_000 + people}`;
  const about = { person_id, user_id: person_id, reason: 'Ticket 4711', operator: OPERATOR, ...fields };
  return (more: Partial<Parameters<typeof requireApproval>[1]> = {}, ADMIN_APPROVALS = true) => {
    audited = [];
    return requireApproval(
      {
        config: { ADMIN_APPROVALS },
        db: database.db,
        now: clock.now,
        request: {} as FastifyRequest,
        audit: async (...event) => void audited.push(event),
      },
      { act: 'support_session.full', ...about, ...more },
    );
  };
}

const approve = (approval_id = '') =>
  database.db.approvals.updateOne({ approval_id }, { $set: { status: 'approved' } });

test('nothing waits while approvals are off', async () => {
  const ask = asking();
  expect(await ask({ act: 'person.delete' }, false)).toStrictEqual({});
  expect(await ask({}, false)).toStrictEqual({});
  expect(audited).toStrictEqual([]);
});

test('an act waits, and a repeated call asks once', async () => {
  const ask = asking();
  const { pending } = await ask({ act: 'person.delete' });
  expect(pending).toStrictEqual({
    approval_id: expect.any(String),
    act: 'person.delete',
    person_id: expect.any(String),
    reason: 'Ticket 4711',
    requested_by: OPERATOR._id,
    requested_at: iso(),
    expires_at: iso(86_400),
    status: 'pending',
    decided_by: null,
    decided_at: null,
    decision: null,
    carried_out_at: null,
    failure: null,
  });
  expect(audited).toStrictEqual([
    [
      'admin.approval_request',
      {
        target: { user_id: pending?.person_id },
        after: { act: 'person.delete', reason: 'Ticket 4711', approval_id: pending?.approval_id },
      },
    ],
  ]);
  expect(await ask({ act: 'person.delete' })).toStrictEqual({ pending });
  expect(audited).toStrictEqual([]);
});

test.each<[string, Parameters<ReturnType<typeof asking>>[0]]>([
  ['another reason', { reason: 'Ticket 4712' }],
  ['another act', { act: 'person.delete' }],
  ['another operator', { operator: { ...OPERATOR, _id: 'User-100002' } }],
  ['an operator who was added again', { operator: { ...OPERATOR, added_at: new Date(1) } }],
  ['an operator whose level began anew', { operator: { ...OPERATOR, level_since: new Date(1) } }],
  ['an operator of another level', { operator: { ...OPERATOR, level: 'support' } }],
  ['another person', { person_id: 'User-300001' }],
])('%s asks anew', async (_, fields) => {
  const ask = asking();
  const first = await ask();
  const second = await ask(fields);
  expect(second.pending?.approval_id).not.toBe(first.pending?.approval_id);
});

test('a request that has expired is asked anew', async () => {
  const ask = asking();
  const first = await ask();
  clock.advance(86_400);
  expect((await ask()).pending?.approval_id).not.toBe(first.pending?.approval_id);
});

test('the requester uses an approval once, and gets the same use again for an hour', async () => {
  const ask = asking();
  await approve((await ask()).pending?.approval_id);
  const used = await ask();
  expect(used).toStrictEqual({ use: { id: expect.any(String), at: new Date(clock.now()) } });
  clock.advance(3_599);
  expect(await ask()).toStrictEqual(used);
  clock.advance(1);
  expect((await ask()).pending?.status).toBe('pending');
});

test('two calls at once use one approval', async () => {
  const ask = asking();
  await approve((await ask()).pending?.approval_id);
  const calls = await Promise.all(Array.from({ length: 8 }, () => ask()));
  const ids = new Set(calls.flatMap(({ use }) => (use ? [use.id] : [])));
  expect(ids.size).toBe(1);
});

test.each<[string, Parameters<ReturnType<typeof asking>>[0]]>([
  ['another operator', { operator: { ...OPERATOR, _id: 'User-100002' } }],
  ['another person', { person_id: 'User-300002' }],
  ['the requester, once removed and added again,', { operator: { ...OPERATOR, added_at: new Date(1) } }],
  ['the requester, once lowered and raised again,', { operator: { ...OPERATOR, level_since: new Date(1) } }],
  ['the requester, with another level,', { operator: { ...OPERATOR, level: 'support' } }],
])('%s cannot use it', async (_, fields) => {
  const ask = asking();
  await approve((await ask()).pending?.approval_id);
  expect((await ask(fields)).pending?.status).toBe('pending');
});

test('an approval cannot be used after a day, nor before it is given', async () => {
  const ask = asking();
  await approve((await ask()).pending?.approval_id);
  clock.advance(86_400);
  expect((await ask()).pending?.status).toBe('pending');
  expect((await ask()).pending?.status).toBe('pending');
});

test('a deletion always waits: the approval carries it out', async () => {
  const ask = asking({ act: 'person.delete' });
  await approve((await ask({ act: 'person.delete' })).pending?.approval_id);
  expect((await ask({ act: 'person.delete' })).pending?.status).toBe('pending');
});

test('an account without a user_id is not named in the audit', async () => {
  const { pending } = await asking()({ user_id: null, person_id: '0123456789abcdef01234567' });
  expect(audited).toStrictEqual([
    [
      'admin.approval_request',
      {
        after: { act: 'support_session.full', reason: 'Ticket 4711', approval_id: pending?.approval_id },
      },
    ],
  ]);
});
