import { beforeEach, describe, expect, test } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { sendJson } from '../../fixtures/http.ts';
import { rounds } from '../../fixtures/property.ts';
import { duplicate, malformed, missing, notFound } from '../access/failures.ts';
import { BAD_BODIES } from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

const INTERNAL_API_KEY = 'a key that only the tests know, 32 bytes and more';

let created: string;
withOrganizations({ env: { INTERNAL_API_KEY } });
withTeams();
beforeEach(() => {
  created = service.at();
  service.clock.advance(86_400);
});

const record = (fields: object = {}) => ({
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
/** Reports a payment status like the payment service. */
const reportBody = async (body: unknown, key = INTERNAL_API_KEY, department_id = team.department_id) =>
  outcome(
    await sendJson('PUT', `${service.url}/internal/departments/${department_id}/payment-status`, body, {
      authorization: `Bearer ${key}`,
    }),
  );
const report = (body: object, key?: string, department_id?: string) =>
  reportBody({ subscription_plan: 'Free', ...body }, key, department_id);
const today = () => service.at().slice(0, 10);

describe('the billing record of a department', () => {
  test('starts on the free plan', async () => {
    expect(await read()).toStrictEqual(record());
  });

  test.each(['Starter', 'Professional', 'Business', 'Enterprise'])(
    'a change to %s sets today’s date and pending',
    async (subscription_plan) => {
      await report({ payment_status: 'paid' });
      const changed = record({ subscription_plan, subscription_date: today(), updated_at: service.at() });
      expect(await change({ subscription_plan })).toStrictEqual(changed);
      expect(await read()).toStrictEqual(changed);
    },
  );

  test.each(['pending', 'paid', 'failed'])(
    'the payment service reports %s, which leaves the plan and its date unchanged',
    async (payment_status) => {
      const changed = record({ payment_status, updated_at: service.at() });
      expect(await report({ payment_status })).toStrictEqual(changed);
      expect(await read()).toStrictEqual(changed);
    },
  );

  test('a member cannot set the payment status', async () => {
    const both = { subscription_plan: 'Business', payment_status: 'paid' };
    expect((await change(both)).body.payment_status).toBe('pending');
    const { status } = await team.ada.ask(
      'PUT',
      `/internal/departments/${team.department_id}/payment-status`,
      { payment_status: 'paid' },
    );
    expect(status).toBe(401);
    expect((await report({ payment_status: 'paid' }, 'another key')).status).toBe(401);
    expect((await read()).body.payment_status).toBe('pending');
  });

  test('refuses a report for an unknown department or without a valid status', async () => {
    expect(await report({ payment_status: 'paid' }, INTERNAL_API_KEY, 'nowhere')).toStrictEqual(
      notFound(service.clock),
    );
    expect(await report({})).toStrictEqual(missing('payment_status is required', service.clock));
    expect(await reportBody({ payment_status: 'paid' })).toStrictEqual(
      missing('subscription_plan is required', service.clock),
    );
    for (const payment_status of ['Paid', null, { $ne: 'paid' }, 'constructor'])
      expect(await report({ payment_status })).toStrictEqual(
        malformed('payment_status must be one of pending, paid, failed', service.clock),
      );
    expect(await read()).toStrictEqual(record());
  });

  test('choosing the current plan again keeps its payment status and date', async () => {
    await change({ subscription_plan: 'Business' });
    await report({ payment_status: 'paid', subscription_plan: 'Business' });
    const chosen = today();
    service.clock.advance(86_400);
    expect(await change({ subscription_plan: 'Business' })).toStrictEqual(
      record({
        subscription_plan: 'Business',
        payment_status: 'paid',
        subscription_date: chosen,
        updated_at: service.at(),
      }),
    );
    service.clock.advance(86_400);
    expect(await change({ subscription_plan: 'Free' })).toStrictEqual(
      record({ subscription_date: today(), updated_at: service.at() }),
    );
  });

  test('is separate from other departments and from the Owner’s account', async () => {
    const { ada, organization_id, people } = team;
    const sibling = await service.newDepartment(ada, organization_id);
    const before = await read(sibling.place);
    const user = await service.db.users.findOne({ user_id: ada.user_id });
    await change({ subscription_plan: 'Enterprise' });
    await report({ payment_status: 'failed', subscription_plan: 'Enterprise' });
    expect(await read(sibling.place)).toStrictEqual(before);
    expect(await service.db.users.findOne({ user_id: ada.user_id })).toStrictEqual(user);
    // An Owner of one department has no access to the billing of another.
    expect((await people.Owner.call('GET', `${team.place}/billing`)).status).toBe(200);
    expect((await people.Owner.call('GET', `${sibling.place}/billing`)).status).toBe(404);
    expect(
      (await people.Owner.call('PATCH', `${sibling.place}/billing`, { subscription_plan: 'Business' }))
        .status,
    ).toBe(404);
    expect(await read(sibling.place)).toStrictEqual(before);
  });

  test('a concurrent plan change and payment report both apply', async () => {
    await Promise.all([change({ subscription_plan: 'Starter' }), change({ subscription_plan: 'Starter' })]);
    const answers = await Promise.all([
      report({ payment_status: 'failed', subscription_plan: 'Starter' }),
      change({ subscription_plan: 'Starter' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await read()).body).toMatchObject({ subscription_plan: 'Starter', payment_status: 'failed' });
  });

  const otherPlan = () => duplicate(service.clock, 'The department has another plan');

  test('refuses a report for a plan that the department no longer has', async () => {
    await change({ subscription_plan: 'Enterprise' });
    const before = await read();
    for (const invoice_id of [undefined, 'INV-1'])
      for (const payment_status of ['paid', 'failed', 'pending'])
        expect(await report({ payment_status, subscription_plan: 'Starter', invoice_id })).toStrictEqual(
          otherPlan(),
        );
    expect(await read()).toStrictEqual(before);
    expect(await service.db.departments.findOne({ department_id: team.department_id })).not.toHaveProperty(
      'payment_reports',
    );
  });

  test('never marks a plan paid that was chosen while the report was under way', async () => {
    for (let round = 0; round < rounds(5); round += 1) {
      await change({ subscription_plan: 'Starter' });
      const [reported] = await Promise.all([
        report({ payment_status: 'paid', subscription_plan: 'Starter' }),
        change({ subscription_plan: 'Enterprise' }),
      ]);
      expect([200, 409]).toContain(reported?.status);
      expect((await read()).body).toMatchObject({
        subscription_plan: 'Enterprise',
        payment_status: 'pending',
      });
    }
  });

  describe('a report with an invoice', () => {
    const invoice = (fields: object = {}) =>
      report({ payment_status: 'paid', invoice_id: 'INV-1', ...fields });

    test('has no second effect when it is repeated', async () => {
      expect((await invoice({ payment_status: 'failed' })).body.payment_status).toBe('failed');
      const paid = record({ payment_status: 'paid', updated_at: service.at() });
      expect(await invoice()).toStrictEqual(paid);
      service.clock.advance(60);
      expect(await invoice()).toStrictEqual(paid);
      // A late repeat of an earlier status.
      expect(await invoice({ payment_status: 'failed' })).toStrictEqual(paid);
      expect(await read()).toStrictEqual(paid);
    });

    test('is answered with the present record when it is repeated after the plan has changed', async () => {
      await invoice();
      const changed = await change({ subscription_plan: 'Business' });
      expect(await invoice()).toStrictEqual(changed);
      expect(await invoice({ payment_status: 'failed' })).toStrictEqual(otherPlan());
      // Choosing the plan again does not make the old payment count for it.
      const again = await change({ subscription_plan: 'Free' });
      expect(await invoice()).toStrictEqual(again);
      expect(again.body.payment_status).toBe('pending');
    });

    test('is refused when the invoice was for another plan', async () => {
      await invoice();
      await change({ subscription_plan: 'Business' });
      expect(await invoice({ subscription_plan: 'Business' })).toStrictEqual(
        duplicate(service.clock, 'The invoice is for another plan'),
      );
      expect((await read()).body.payment_status).toBe('pending');
      const other = await invoice({ subscription_plan: 'Business', invoice_id: 'INV-2' });
      expect(other.body.payment_status).toBe('paid');
    });

    test('is applied once when it arrives ten times at once', async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => invoice()));
      expect(answers).toStrictEqual(
        Array(10).fill(record({ payment_status: 'paid', updated_at: service.at() })),
      );
      const department = await service.db.departments.findOne({ department_id: team.department_id });
      expect(department?.payment_reports).toEqual([
        { invoice_id: 'INV-1', subscription_plan: 'Free', payment_status: 'paid' },
      ]);
    });

    test('is forgotten after a hundred others, and appears in no answer', async () => {
      await invoice();
      const [first] =
        (await service.db.departments.findOne({ department_id: team.department_id }))?.payment_reports ?? [];
      const more = Array.from({ length: 99 }, (_, number) => ({ ...first, invoice_id: `other ${number}` }));
      await service.db.departments.updateOne(
        { department_id: team.department_id },
        { $push: { payment_reports: { $each: more as never } } },
      );
      await invoice({ invoice_id: 'INV-2' });
      const department = await service.db.departments.findOne({ department_id: team.department_id });
      expect(department?.payment_reports).toHaveLength(100);
      expect(department?.payment_reports?.[0]).toMatchObject({ invoice_id: 'other 0' });
      for (const path of ['', '/billing', '/members'])
        expect(JSON.stringify(await team.ada.call('GET', `${team.place}${path}`))).not.toContain('INV-2');
      const list = await team.ada.call('GET', `/${team.organization_id}/departments`);
      expect(JSON.stringify(list.body)).not.toContain('INV-2');
    });

    test.each(['', 'x'.repeat(201), 'a\u0000b', null, 7, { $ne: null }, ['INV-1']])(
      'is refused if the invoice_id is %j',
      async (invoice_id) => {
        expect(await invoice({ invoice_id })).toStrictEqual(malformed(expect.any(String), service.clock));
        expect(await read()).toStrictEqual(record());
      },
    );
  });

  const PLAN = 'subscription_plan must be one of Free, Starter, Professional, Business, Enterprise';
  test.each([
    [{ subscription_plan: 'free' }, PLAN],
    [{ subscription_plan: '' }, PLAN],
    [{ subscription_plan: null }, PLAN],
    [{ subscription_plan: '$payment_status' }, PLAN],
    [{ subscription_plan: ['Business'] }, PLAN],
  ])('refuses %j and writes nothing', async (body, details) => {
    expect(await change(body)).toStrictEqual(malformed(details, service.clock));
    expect(await read()).toStrictEqual(record());
  });

  test.each([
    {},
    { plan: 'Business' },
    { payment_status: 'paid' },
    { subscription_date: '2030-01-01', updated_at: 'never', department_id: 'mine' },
  ])('requires a plan: %j', async (body) => {
    expect(await change(body)).toStrictEqual(missing('subscription_plan is required', service.clock));
    expect(await read()).toStrictEqual(record());
  });

  test('requires a body that is a JSON object', async () => {
    expect(await change('')).toStrictEqual(missing('body is required', service.clock));
    for (const [what, body] of BAD_BODIES) expect((await change(body)).status, what).toBe(400);
    expect(await read()).toStrictEqual(record());
  });
});
