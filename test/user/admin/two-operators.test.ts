import { describe, expect, test } from 'vitest';
import { eventsOf } from '../../fixtures/audit.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { adminCaller } from '../../fixtures/operators.ts';
import { forbidden } from '../access/failures.ts';
import { runDeletions } from '../account/deletion/run-deletions.ts';
import { accounts, change, read, service, withAdmin } from './operator-service.ts';

withAdmin({ env: { ADMIN_APPROVALS: 'on' } });

const reason = 'Ticket 4711';

const newPerson = () => adminCaller(service);
const levelOf = async (_id: string) => (await service.db.operators.findOne({ _id }))?.level;
const approve = async (who: { call: typeof accounts.admin.call }, approval_id: string) =>
  outcome(await who.call('POST', `/approvals/${approval_id}/approve`, { reason }));
const shown = async (approval_id: string, person_id: string) =>
  (await read(`/approvals?search=${person_id}`)).body.data.find(
    (approval: { approval_id: string }) => approval.approval_id === approval_id,
  );

describe('a new admin', () => {
  const raise = (user_id: string) => change('PUT', `/operators/${user_id}`, { level: 'admin', reason });

  test.each([
    ['an ordinary account', newPerson],
    ['an operator of the level support', () => adminCaller(service, 'support')],
  ])('who is %s waits for another admin', async (_, newAccount) => {
    const [second, other] = [await newAccount(), await adminCaller(service, 'admin')];
    const { user_id } = second;
    const levelBefore = await levelOf(user_id);
    const events = await eventsOf(service, async () => {
      const asked = await raise(user_id);
      expect(asked).toMatchObject({
        status: 202,
        body: { act: 'operator.admin', person_id: user_id, status: 'pending' },
      });
      const { approval_id } = asked.body;
      expect(await levelOf(user_id)).toBe(levelBefore);
      expect(await approve(accounts.admin, approval_id)).toStrictEqual(
        forbidden(service.clock, 'Another operator than the one who asked must approve'),
      );
      expect(await approve(second, approval_id)).toStrictEqual(forbidden(service.clock));
      expect(await approve(other, approval_id)).toMatchObject({
        status: 200,
        body: { status: 'carried_out', decided_by: other.user_id },
      });
    });
    expect(await service.db.operators.findOne({ _id: user_id })).toMatchObject({
      level: 'admin',
      ...(levelBefore === undefined && { added_by: accounts.admin.user_id }),
      level_since: new Date(service.clock.now()),
    });
    expect(
      events
        .filter(({ outcome: result }) => result === 'success')
        .map(({ action, user_id: actor, target }) => [action, actor, target.user_id])
        .toSorted(),
    ).toStrictEqual([
      ['admin.approval_request', accounts.admin.user_id, user_id],
      ['admin.approve', other.user_id, user_id],
      ['admin.operator_set', accounts.admin.user_id, user_id],
    ]);
    expect(await raise(user_id)).toMatchObject({ status: 200, body: { user_id, level: 'admin' } });
  });

  test('cannot come from an account that the admin has made an operator of the level support', async () => {
    const [own, next] = [await newPerson(), await newPerson()];
    expect((await change('PUT', `/operators/${own.user_id}`, { level: 'support', reason })).status).toBe(200);
    const { body } = await raise(next.user_id);
    expect((await approve(own, body.approval_id)).status).toBe(403);
    expect(await levelOf(next.user_id)).toBeUndefined();
  });

  test('needs an account that is active when it is approved', async () => {
    const [{ user_id }, other] = [await newPerson(), await adminCaller(service, 'admin')];
    const { approval_id } = (await raise(user_id)).body;
    await service.db.users.updateOne({ user_id }, { $set: { account_status: 'disabled' } });
    expect((await approve(other, approval_id)).status).toBe(200);
    expect(await shown(approval_id, user_id)).toMatchObject({
      status: 'failed',
      failure: 'No active account has this user_id',
    });
    expect(await levelOf(user_id)).toBeUndefined();
  });

  test('is lowered and removed by one admin', async () => {
    const { user_id } = await adminCaller(service, 'admin');
    expect((await change('PUT', `/operators/${user_id}`, { level: 'support', reason })).status).toBe(200);
    expect((await change('DELETE', `/operators/${user_id}`, { reason })).status).toBe(200);
  });
});

test('a deletion runs from the request to the end after another admin has approved it', async () => {
  const { db, clock } = service;
  const [person, other] = [await newPerson(), await adminCaller(service, 'admin')];
  const { user_id, email } = person;
  const session = person.headers();
  const asked = await change('POST', `/people/${user_id}/delete`, { reason });
  expect(asked).toMatchObject({ status: 202, body: { act: 'person.delete', status: 'pending' } });
  expect(await db.users.findOne({ user_id })).not.toHaveProperty('deletion');

  const { approval_id } = asked.body;
  expect(await approve(other, approval_id)).toMatchObject({ status: 200, body: { status: 'carried_out' } });
  const own = await fetch(`${service.user}/api/v1/users/me`, { headers: session });
  expect(own.status).toBe(401);
  const { due_at } = (await change('POST', `/people/${user_id}/delete`, { reason })).body;
  expect(due_at).toBe(new Date(clock.now() + 14 * 86_400_000).toISOString());
  await expect
    .poll(() => service.mailbox.mails.some(({ recipients }) => recipients.includes(email)), {
      timeout: 30_000,
    })
    .toBe(true);

  clock.advance(14 * 86_400);
  const isGone = async () => {
    expect(await runDeletions({ db, clock })).toEqual([]);
    await db.auditEvents.updateMany({ relay: true }, { $unset: { relay: true } });
    clock.advance(2);
    return (await db.users.findOne({ user_id })) === null;
  };
  await expect.poll(isGone, { timeout: 30_000 }).toBe(true);
  expect(await db.deletedUsers.findOne({ _id: user_id })).not.toBeNull();
  const actions = await db.auditEvents.distinct('action', { 'target.user_id': user_id });
  expect(actions.toSorted()).toStrictEqual([
    'account.delete',
    'admin.approval_request',
    'admin.approve',
    'admin.person_delete',
  ]);
});
