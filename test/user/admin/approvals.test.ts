import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import { createApprovedActs } from '../../../services/user/admin/approvals/carry-out.ts';
import type { Approval } from '../../../services/user/admin/approvals/records.ts';
import { requireApproval } from '../../../services/user/admin/approvals/require-approval.ts';
import { auditEvent, eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { adminCaller } from '../../fixtures/operators.ts';
import { duplicate, forbidden, malformed, missing, notFound } from '../access/failures.ts';
import { NOWHERE } from '../organizations/organization-service.ts';
import { accounts, read, service, withAdmin } from './operator-service.ts';

withAdmin();

const reason = 'Ticket 4711';

type Caller = Awaited<ReturnType<typeof adminCaller>>;
const newAdmin = () => adminCaller(service, 'admin');

let people = 0;
/** Asks for an act as another admin. @returns the record and the admin. */
async function asked(act: Approval['act'] = 'support_session.full', user_id?: string) {
  const requester = await newAdmin();
  people += 1;
  const person_id = user_id ?? `User-${800_000 + people}`;
  const operator = await service.db.operators.findOne({ _id: requester.user_id });
  if (!operator) throw new Error('no operator');
  const { db, clock } = service;
  const request = {} as FastifyRequest;
  const call = { config: { ADMIN_APPROVALS: true }, db, now: clock.now, request };
  const asking = { act, person_id, user_id: person_id, reason, operator };
  const again = () => requireApproval({ ...call, audit: async () => {} }, asking);
  const { pending } = await again();
  if (!pending) throw new Error('nothing waits');
  return { requester, again, pending, path: `/approvals/${pending.approval_id}` };
}

const stored = (approval_id: string) => service.db.approvals.findOne({ approval_id });
const decideAs = async (caller: Caller, path: string) => outcome(await caller.call('POST', path, { reason }));

describe('GET /approvals', () => {
  test('lists what waits and what was decided, newest first', async () => {
    const first = await asked();
    service.clock.advance(1);
    const second = await asked('person.delete');
    const list = async (query: string) => (await read(`/approvals?${query}`)).body.data;
    expect((await list('')).slice(0, 2)).toStrictEqual([second.pending, first.pending]);
    expect((await list('act=person.delete'))[0]).toStrictEqual(second.pending);
    expect(await list(`search=${first.pending.person_id}`)).toStrictEqual([first.pending]);
    expect(await list(`search=${first.pending.person_id}&status=approved`)).toStrictEqual([]);
    expect(await read('/approvals?status=done')).toStrictEqual(
      malformed('status must be one of pending, approved, rejected, void', service.clock),
    );
    service.clock.advance(86_400);
    expect((await list(`search=${first.pending.person_id}`))[0].status).toBe('expired');
  });
});

describe('POST /approvals/{approval_id}/approve', () => {
  test('lets the requester go on, once', async () => {
    const fresh = await newAdmin();
    const { pending, path, again, requester } = await asked();
    const at = new Date(service.clock.now()).toISOString();
    const events = await eventsOf(service, async () => {
      const answer = await decideAs(fresh, `${path}/approve`);
      expect(answer).toStrictEqual({
        status: 200,
        body: {
          ...pending,
          status: 'approved',
          decided_by: fresh.user_id,
          decided_at: at,
          decision: reason,
        },
      });
    });
    expect(events).toStrictEqual([
      auditEvent(service.clock.now(), {
        action: 'admin.approve',
        user_id: fresh.user_id,
        email: fresh.email.toLowerCase(),
        target: { user_id: pending.person_id },
        after: {
          act: 'support_session.full',
          requested_by: requester.user_id,
          reason,
          approval_id: pending.approval_id,
        },
      }),
    ]);
    expect(await decideAs(await newAdmin(), `${path}/approve`)).toStrictEqual(
      duplicate(service.clock, 'The approval is approved'),
    );
    expect(await decideAs(await newAdmin(), `${path}/reject`)).toStrictEqual(
      duplicate(service.clock, 'The approval is approved'),
    );
    expect(await again()).toStrictEqual({
      use: { id: expect.any(String), at: new Date(service.clock.now()) },
    });
  });

  test('is not for the operator who asked', async () => {
    const { requester, path, pending } = await asked();
    expect(await decideAs(requester, `${path}/approve`)).toStrictEqual(
      forbidden(service.clock, 'Another operator than the one who asked must approve'),
    );
    expect((await stored(pending.approval_id))?.status).toBe('pending');
  });

  test('is not for the person concerned', async () => {
    const concerned = await newAdmin();
    const { path, pending } = await asked('person.delete', concerned.user_id);
    for (const verdict of ['approve', 'reject'])
      expect(await decideAs(concerned, `${path}/${verdict}`)).toStrictEqual(
        forbidden(service.clock, 'The act is about you'),
      );
    expect((await stored(pending.approval_id))?.status).toBe('pending');
  });

  test('is not for the level support', async () => {
    const { path, pending } = await asked();
    const support = await adminCaller(service, 'support');
    for (const verdict of ['approve', 'reject'])
      expect(await decideAs(support, `${path}/${verdict}`)).toStrictEqual(forbidden(service.clock));
    expect((await stored(pending.approval_id))?.status).toBe('pending');
  });

  test('expires after a day, compared at use', async () => {
    const { path, pending } = await asked();
    service.clock.advance(86_399);
    const late = await asked();
    service.clock.advance(1);
    const approver = await newAdmin();
    for (const verdict of ['approve', 'reject'])
      expect(await decideAs(approver, `${path}/${verdict}`)).toStrictEqual(
        duplicate(service.clock, 'The approval has expired'),
      );
    expect((await stored(pending.approval_id))?.status).toBe('pending');
    expect((await decideAs(approver, `${late.path}/approve`)).status).toBe(200);
  });

  test.each<[string, (user_id: string) => Promise<unknown>]>([
    ['removed', (_id) => service.db.operators.deleteOne({ _id })],
    ['lowered', (_id) => service.db.operators.updateOne({ _id }, { $set: { level: 'support' } })],
    [
      'removed and added again',
      (_id) =>
        service.db.operators.updateOne({ _id }, { $set: { added_at: new Date(service.clock.now() + 1) } }),
    ],
    [
      'lowered and raised again',
      async (user_id) => {
        for (const level of ['support', 'admin'])
          await accounts.admin.call('PUT', `/operators/${user_id}`, { level, reason });
      },
    ],
  ])('is void once the requester was %s', async (_, happens) => {
    const { requester, path, pending, again } = await asked();
    await happens(requester.user_id);
    const approver = await newAdmin();
    expect(await decideAs(approver, `${path}/approve`)).toStrictEqual(
      duplicate(service.clock, 'The approval is void: the operator who asked has another level now'),
    );
    expect((await stored(pending.approval_id))?.status).toBe('void');
    expect(await decideAs(approver, `${path}/approve`)).toStrictEqual(
      duplicate(service.clock, 'The approval is void'),
    );
    expect((await again()).use).toBeUndefined();
  });

  test('of many at once, one counts', async () => {
    const { path, pending } = await asked();
    const admins = await Promise.all(Array.from({ length: 6 }, newAdmin));
    const answers = await Promise.all(
      admins.map((admin, index) => decideAs(admin, `${path}/${index % 2 ? 'approve' : 'reject'}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await stored(pending.approval_id))?.status).toBe(winner?.body.status);
  });

  test('needs a reason, and an approval that exists', async () => {
    const { path } = await asked();
    const { clock } = service;
    const fresh = await newAdmin();
    const post = async (body: object, to = path) => outcome(await fresh.call('POST', `${to}/approve`, body));
    expect(await post({})).toStrictEqual(missing('reason is required', clock));
    expect(await post({ reason: 'no' })).toStrictEqual(
      malformed('reason must have 3 characters or more', clock),
    );
    for (const bad of ['a\r\nb: c', { $ne: 1 }, ['because']])
      expect(await post({ reason: bad })).toMatchObject({ status: 400 });
    expect(await post({ reason }, `/approvals/${NOWHERE}`)).toStrictEqual(notFound(clock));
    expect(await post({ reason }, '/approvals/$ne')).toStrictEqual(notFound(clock));
  });
});

describe('POST /approvals/{approval_id}/reject', () => {
  test('ends it, also for the requester who withdraws', async () => {
    const first = await asked();
    const answer = await decideAs(await newAdmin(), `${first.path}/reject`);
    expect(answer.body.status).toBe('rejected');
    expect((await first.again()).use).toBeUndefined();
    const own = await asked();
    expect((await decideAs(own.requester, `${own.path}/reject`)).body.status).toBe('rejected');
  });
});

describe('an act that the approval carries out', () => {
  const warn = vi.fn();
  const log = { warn, info: vi.fn() } as unknown as FastifyBaseLogger;

  /** An approved deletion that is due. */
  async function due() {
    const { pending } = await asked('person.delete');
    const { approval_id } = pending;
    await service.db.approvals.updateOne(
      { approval_id },
      { $set: { status: 'approved', due_at: new Date(service.clock.now()) } },
    );
    return approval_id;
  }
  const actsWith = (carryOut: (approval: Approval) => Promise<void>) =>
    createApprovedActs({
      db: service.db,
      now: service.clock.now,
      log,
      acts: { 'person.delete': carryOut },
    });

  test('is carried out once by several processes', async () => {
    const approval_id = await due();
    const done: string[] = [];
    const carryOut = async ({ person_id }: Approval) => void done.push(person_id);
    await Promise.all(Array.from({ length: 4 }, () => actsWith(carryOut).carryOutNow(approval_id)));
    const approval = await stored(approval_id);
    expect(done).toEqual([approval?.person_id]);
    expect(approval).toMatchObject({ carried_out_at: new Date(service.clock.now()) });
    expect(approval).not.toHaveProperty('due_at');
    expect((await read(`/approvals?search=${approval?.person_id}`)).body.data[0].status).toBe('carried_out');
  });

  test('is completed by another process after a kill', async () => {
    const approval_id = await due();
    await actsWith(() => Promise.reject(new Error('killed'))).carryOutNow(approval_id);
    const done: string[] = [];
    const carryOut = async (approval: Approval) => void done.push(approval.approval_id);
    await actsWith(carryOut).carryOutNow(approval_id);
    expect(done).toEqual([]);
    service.clock.advance(60);
    await actsWith(carryOut).carryOutNow(approval_id);
    expect(done).toEqual([approval_id]);
  });

  test('fails for good if it can never be carried out', async () => {
    const approval_id = await due();
    await actsWith(() => Promise.reject(new AppError('lastOwner'))).carryOutNow(approval_id);
    const approval = await stored(approval_id);
    expect(approval).not.toHaveProperty('due_at');
    expect((await read(`/approvals?search=${approval?.person_id}`)).body.data[0]).toMatchObject({
      status: 'failed',
      failure: 'Hand over or archive every organization that nobody else can lead',
    });
  });
});

test('changes need a fresh session', async () => {
  const { path } = await asked();
  const refused = outcome(
    await (await newAdmin()).call('POST', `${path}/approve`, { reason }, { ago: 601_000 }),
  );
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'CONFIRMATION_REQUIRED' } } });
});
