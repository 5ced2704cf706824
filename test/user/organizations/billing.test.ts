import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { malformed, missing } from '../chatbots/directory.ts';
import { BAD_BODIES, type Organizations, startOrganizations, type Team } from './organization.ts';

let all: Organizations;
let team: Team;
let created: string;
beforeAll(async () => {
  all = await startOrganizations();
});
afterAll(() => all.stop());
beforeEach(async () => {
  team = await all.team();
  created = all.at();
  all.clock.advance(86_400);
});

const bill = (fields: object = {}) => ({
  status: 200,
  body: {
    department_id: team.department_id,
    subscription_plan: 'Free',
    payment_status: 'pending',
    subscription_date: created.slice(0, 10),
    updated_at: created,
    ...fields,
  },
});
const read = async (place = team.place) => outcome(await team.ada.call('GET', `${place}/billing`));
const change = async (body: unknown) => outcome(await team.ada.call('PATCH', `${team.place}/billing`, body));
const today = () => all.at().slice(0, 10);

describe('the bill of a department', () => {
  test('begins on the free plan', async () => {
    expect(await read()).toStrictEqual(bill());
  });

  test.each(['Starter', 'Professional', 'Business', 'Enterprise'])(
    'a change to %s is of today, and unpaid',
    async (subscription_plan) => {
      await change({ payment_status: 'paid' });
      const changed = bill({ subscription_plan, subscription_date: today(), updated_at: all.at() });
      expect(await change({ subscription_plan })).toStrictEqual(changed);
      expect(await read()).toStrictEqual(changed);
    },
  );

  test.each(['pending', 'paid', 'failed'])(
    'payment %s leaves the plan and its day',
    async (payment_status) => {
      const changed = bill({ payment_status, updated_at: all.at() });
      expect(await change({ payment_status })).toStrictEqual(changed);
      expect(await read()).toStrictEqual(changed);
    },
  );

  test('a plan that is paid at once', async () => {
    const both = { subscription_plan: 'Business', payment_status: 'paid' };
    const changed = bill({ ...both, subscription_date: today(), updated_at: all.at() });
    expect(await change(both)).toStrictEqual(changed);
  });

  test('the plan that it has already stays paid, of the day it was chosen on', async () => {
    await change({ subscription_plan: 'Business', payment_status: 'paid' });
    const chosen = today();
    all.clock.advance(86_400);
    expect(await change({ subscription_plan: 'Business' })).toStrictEqual(
      bill({
        subscription_plan: 'Business',
        payment_status: 'paid',
        subscription_date: chosen,
        updated_at: all.at(),
      }),
    );
    all.clock.advance(86_400);
    expect(await change({ subscription_plan: 'Free' })).toStrictEqual(
      bill({ subscription_date: today(), updated_at: all.at() }),
    );
  });

  test('is its own: no other department’s, nor its Owner’s', async () => {
    const { ada, organization_id, people } = team;
    const sibling = await all.department(ada, organization_id);
    const before = await read(sibling.place);
    const user = await all.db.users.findOne({ user_id: ada.user_id });
    await change({ subscription_plan: 'Enterprise', payment_status: 'failed' });
    expect(await read(sibling.place)).toStrictEqual(before);
    expect(await all.db.users.findOne({ user_id: ada.user_id })).toStrictEqual(user);
    // An Owner of one department has no say in the bill of another.
    expect((await people.Owner.call('GET', `${team.place}/billing`)).status).toBe(200);
    expect((await people.Owner.call('GET', `${sibling.place}/billing`)).status).toBe(404);
    expect(
      (await people.Owner.call('PATCH', `${sibling.place}/billing`, { payment_status: 'paid' })).status,
    ).toBe(404);
    expect(await read(sibling.place)).toStrictEqual(before);
  });

  test('of a plan and a payment at once neither is lost', async () => {
    await Promise.all([change({ subscription_plan: 'Starter' }), change({ subscription_plan: 'Starter' })]);
    const answers = await Promise.all([
      change({ payment_status: 'failed' }),
      change({ subscription_plan: 'Starter' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await read()).body).toMatchObject({ subscription_plan: 'Starter', payment_status: 'failed' });
  });

  const PLAN = 'subscription_plan must be one of Free, Starter, Professional, Business, Enterprise';
  const STATUS = 'payment_status must be one of pending, paid, failed';
  const EMPTY = 'body must hold subscription_plan or payment_status';
  test.each([
    [{}, EMPTY],
    [{ plan: 'Business' }, EMPTY],
    [{ subscription_date: '2030-01-01', updated_at: 'never', department_id: 'mine' }, EMPTY],
    [{ subscription_plan: 'free' }, PLAN],
    [{ subscription_plan: '' }, PLAN],
    [{ subscription_plan: null }, PLAN],
    [{ subscription_plan: '$payment_status' }, PLAN],
    [{ subscription_plan: ['Business'] }, PLAN],
    [{ subscription_plan: 'Business', payment_status: 'Paid' }, STATUS],
    [{ payment_status: { $ne: 'paid' } }, STATUS],
    [{ payment_status: 'constructor' }, STATUS],
  ])('%j is refused and nothing is written', async (body, details) => {
    expect(await change(body)).toStrictEqual(malformed(details, all.clock));
    expect(await read()).toStrictEqual(bill());
  });

  test('a body must be there, and an object', async () => {
    expect(await change('')).toStrictEqual(missing('body is required', all.clock));
    for (const [what, body] of BAD_BODIES) expect((await change(body)).status, what).toBe(400);
    expect(await read()).toStrictEqual(bill());
  });
});
