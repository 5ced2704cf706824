import { describe, expect, test } from 'vitest';
import {
  accountPlan,
  organizationPlan,
  QUOTAS,
  quotaExceeded,
} from '../../../services/user/access/quotas.ts';
import { outcome } from '../../fixtures/envelope.ts';
import { concurrently } from '../organizations/organization-service.ts';
import { service, team, withOrganizations, withTeams } from '../organizations/with-organizations.ts';
import { forbidden } from './failures.ts';

withOrganizations();
withTeams();

const setPlan = (subscription_plan: keyof typeof QUOTAS, payment_status: 'paid' | 'pending' | 'failed') =>
  service.db.departments.updateOne(
    { department_id: team.department_id },
    {
      $set: {
        'billing.subscription_plan': subscription_plan,
        'billing.payment_status': payment_status,
      },
    },
  );

test('every plan allows at least as much as the one below it', () => {
  const plans = Object.values(QUOTAS);
  for (const [index, plan] of plans.slice(1).entries())
    for (const quota of ['departments', 'members', 'webhooks'] as const)
      expect(plan[quota]).toBeGreaterThanOrEqual(plans[index]?.[quota] ?? Infinity);
});

test.each([
  ['Business', 'Business'],
  ['Free Trial', 'Free'],
  [undefined, 'Free'],
  [null, 'Free'],
  [{ $ne: 'Free' }, 'Free'],
])('an account with the subscription_plan %j has the quotas of %s', (subscription_plan, plan) => {
  expect(accountPlan({ subscription_plan })).toBe(plan);
});

describe('members of a department', () => {
  const count = () =>
    service.db.memberships.countDocuments({ department_id: team.department_id, user_id: { $gt: '' } });
  /** Stores members until there is room for `room` more on the Free plan. */
  async function fill(room: number, limit: number = QUOTAS.Free.members) {
    const missing = limit - room - (await count());
    await service.db.memberships.insertMany(
      Array.from({ length: missing }, (_, number) => ({
        membership_id: `${team.department_id} ${number}`,
        organization_id: team.organization_id,
        department_id: team.department_id,
        user_id: `${team.department_id} ${number}`,
        role: 'Viewer' as const,
        granted_by: team.ada.user_id,
        granted_at: service.at(),
      })),
    );
  }
  const add = async () => {
    const person = await service.newPerson();
    const invitation_id = await service.storeInvitation(team, { invited_id: person.user_id });
    return service.accept(person, invitation_id);
  };
  const full = () =>
    forbidden(service.clock, `A department on the Free plan has at most ${QUOTAS.Free.members} members`);

  test('stay within the plan, and a removal makes room', async () => {
    await fill(1);
    expect((await add()).status).toBe(200);
    expect(outcome(await add())).toStrictEqual(full());
    expect(await count()).toBe(QUOTAS.Free.members);
    // A role of somebody who is there can change.
    const { Viewer } = team.people;
    const path = `${team.place}/members/${Viewer.user_id}`;
    expect((await team.ada.call('PUT', path, { role: 'Editor' })).status).toBe(200);
    await team.ada.call('DELETE', path);
    expect((await add()).status).toBe(200);
    expect(outcome(await add())).toStrictEqual(full());
  });

  test('twelve concurrent additions fill three places', async () => {
    await fill(3);
    await add(); // counts what was there before there were quotas
    await team.ada.call('DELETE', `${team.place}/members/${team.people.Viewer.user_id}`);
    await service.db.departments.updateOne(
      { department_id: team.department_id },
      { $set: { members_reserved: QUOTAS.Free.members - 3 } },
    );
    const answers = await concurrently(12, add);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(9);
    expect(await count()).toBe(QUOTAS.Free.members);
  });

  test('a plan counts once it is paid, and no longer when its payment fails', async () => {
    await fill(0);
    await setPlan('Starter', 'pending');
    expect(outcome(await add())).toStrictEqual(full());
    await setPlan('Starter', 'paid');
    expect((await add()).status).toBe(200);
    await setPlan('Starter', 'failed');
    expect(outcome(await add())).toStrictEqual(full());
    // Nobody is removed.
    expect(await count()).toBe(QUOTAS.Free.members + 1);
  });
});

describe('departments of an organization', () => {
  const create = (name: string) => team.ada.call('POST', `/${team.organization_id}/departments`, { name });
  const store = (amount: number) =>
    service.db.departments.insertMany(
      Array.from({ length: amount }, (_, number) => ({
        department_id: `${team.organization_id} ${number}`,
        organization_id: team.organization_id,
        name: `Stored ${number}`,
        name_key: [`stored ${number}`],
        created_at: service.at(),
        billing: {
          subscription_plan: 'Free' as const,
          payment_status: 'pending' as const,
          subscription_date: '2026-01-15',
          updated_at: service.at(),
        },
      })),
    );

  test('stay within the best paid plan of the organization', async () => {
    await store(QUOTAS.Free.departments - 2);
    expect((await create('Last')).status).toBe(201);
    const full = forbidden(
      service.clock,
      `An organization on the Free plan has at most ${QUOTAS.Free.departments} departments`,
    );
    expect(outcome(await create('Too many'))).toStrictEqual(full);
    await setPlan('Business', 'pending');
    expect(outcome(await create('Too many'))).toStrictEqual(full);
    await setPlan('Business', 'paid');
    expect(await organizationPlan(service.db, team.organization_id)).toBe('Business');
    expect((await create('One more')).status).toBe(201);
  });

  test('a refused name takes no place for good', async () => {
    await store(QUOTAS.Free.departments - 2);
    for (let turn = 0; turn < 3; turn += 1) expect((await create('Stored 1')).status).toBe(409);
    expect((await create('Last')).status).toBe(201);
    expect((await create('Too many')).status).toBe(403);
  });

  test('ten concurrent creations fill two places', async () => {
    await store(QUOTAS.Free.departments - 4);
    expect((await create('First')).status).toBe(201);
    const answers = await concurrently(10, (turn) => create(`Race ${turn}`));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(await service.db.departments.countDocuments({ organization_id: team.organization_id })).toBe(
      QUOTAS.Free.departments,
    );
  });
});

test('a refusal names the limit and the plan', () => {
  expect(quotaExceeded('webhooks', 'Starter').message).toBe(
    `An account on the Starter plan has at most ${QUOTAS.Starter.webhooks} webhooks`,
  );
});

test('an archived department adds nothing to the quotas of its organization', async () => {
  await setPlan('Enterprise', 'paid');
  expect(await organizationPlan(service.db, team.organization_id)).toBe('Enterprise');
  await team.ada.call('POST', `${team.place}/archive`, { chatbots: 'delete' });
  expect(await organizationPlan(service.db, team.organization_id)).toBe('Free');
});

test('an account that owns a hundred organizations cannot create another', async () => {
  const bob = await service.newPerson();
  const owners = [{ user_id: bob.user_id, granted_by: bob.user_id, granted_at: service.at() }];
  await service.db.organizations.insertMany(
    Array.from({ length: 99 }, (_, index) => ({
      organization_id: `${bob.user_id} ${index}`,
      name: 'Engines',
      owners,
      created_at: service.at(),
    })),
  );
  const creating = () => bob.call('POST', '', { name: 'Engines' });
  expect((await creating()).status).toBe(201);
  expect(outcome(await creating())).toStrictEqual(
    forbidden(service.clock, 'An account creates organizations until it owns 100'),
  );
});
