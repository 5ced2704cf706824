import { describe, expect, test, vi } from 'vitest';
import { outcome } from '../../fixtures/envelope.ts';
import { sendJson } from '../../fixtures/http.ts';
import { malformed } from '../access/failures.ts';
import { BAD_QUERIES, concurrently, onePage } from './organization-service.ts';
import { service, team, withOrganizations, withTeams } from './with-organizations.ts';

const INTERNAL_API_KEY = 'key-of-the-payment-service-for-tests';

withOrganizations({ env: { INTERNAL_API_KEY } });
withTeams();

const choose = (subscription_plan: string) =>
  team.ada.call('PATCH', `${team.place}/billing`, { subscription_plan });
const report = (fields: object) =>
  sendJson(
    'PUT',
    `${service.url}/internal/departments/${team.department_id}/payment-status`,
    { payment_status: 'paid', subscription_plan: 'Business', ...fields },
    { authorization: `Bearer ${INTERNAL_API_KEY}` },
  );
const history = (query = '', caller = team.people.Owner) =>
  caller.call('GET', `${team.place}/billing/history${query}`);
const numbers = async (query = '') =>
  (await history(query)).body.data.map(({ number }: { number: number }) => number);
const stored = () => service.db.departments.findOne({ department_id: team.department_id });

describe('GET …/departments/{department_id}/billing/history', () => {
  test('is empty for a new department', async () => {
    expect(outcome(await history())).toStrictEqual(onePage());
  });

  test('lists plans and payment reports in their order', async () => {
    const { ada } = team;
    const none = { invoice_id: null, amount: null, currency: null };
    await choose('Business');
    const chosen = {
      number: 1,
      at: service.at(),
      kind: 'plan',
      subscription_plan: 'Business',
      payment_status: 'pending',
      changed_by: ada.user_id,
      ...none,
    };
    service.clock.advance(60);
    await report({ payment_status: 'failed', invoice_id: '$billing', amount: 4900, currency: 'EUR' });
    const failed = {
      ...chosen,
      number: 2,
      at: service.at(),
      kind: 'payment',
      payment_status: 'failed',
      changed_by: null,
      invoice_id: '$billing',
      amount: 4900,
      currency: 'EUR',
    };
    service.clock.advance(60);
    await report({});
    const paid = { ...failed, number: 3, at: service.at(), payment_status: 'paid', ...none };
    expect(outcome(await history())).toStrictEqual(onePage(paid, failed, chosen));
    expect(outcome(await history('?order=asc&kind=payment'))).toStrictEqual(onePage(failed, paid));
    expect(outcome(await history('?search=$BILL'))).toStrictEqual(onePage(failed));
    expect((await stored())?.billing_outbox).toEqual([]);
    expect((await stored())?.payment_reports).toEqual([
      { invoice_id: '$billing', subscription_plan: 'Business', payment_status: 'failed' },
    ]);
  });

  test('a repeated choice or report is no entry, and neither is a refused one', async () => {
    for (let turn = 0; turn < 2; turn += 1) {
      await choose('Business');
      expect((await report({ invoice_id: 'INV-1' })).status).toBe(200);
    }
    expect((await report({ subscription_plan: 'Starter' })).status).toBe(409);
    expect((await choose('None')).status).toBe(400);
    expect(await numbers()).toEqual([2, 1]);
  });

  test('concurrent changes have numbers without gaps, in the order in which they took effect', async () => {
    await concurrently(10, (turn) => choose(turn % 2 ? 'Business' : 'Starter'));
    const { data } = (await history('?order=asc')).body;
    expect(data.map(({ number }: { number: number }) => number)).toEqual(
      data.map((_: unknown, index: number) => index + 1),
    );
    const plans: string[] = data.map((entry: { subscription_plan: string }) => entry.subscription_plan);
    for (const [index, plan] of plans.entries()) expect(plan).not.toBe(plans[index - 1]);
    expect(plans.at(-1)).toBe((await stored())?.billing.subscription_plan);
  });

  test.each(['before an entry is stored', 'before it is removed from the outbox'])(
    'lacks nothing after a crash %s',
    async (when) => {
      const failing =
        when === 'before an entry is stored'
          ? vi.spyOn(service.db.billingEntries, 'insertOne').mockRejectedValueOnce(new Error('killed'))
          : vi.spyOn(service.db.departments, 'updateOne').mockRejectedValueOnce(new Error('killed'));
      expect((await choose('Business')).status).toBe(200);
      failing.mockRestore();
      expect((await stored())?.billing_outbox).toHaveLength(1);
      const [first, second] = await Promise.all([history(), history()]);
      expect(first?.body.data).toMatchObject([{ number: 1, subscription_plan: 'Business' }]);
      expect(second?.body).toStrictEqual(first?.body);
      expect((await stored())?.billing_outbox).toEqual([]);
    },
  );

  test.each([
    [{ amount: 4900 }, 'body must contain amount and currency together'],
    [{ currency: 'EUR' }, 'body must contain amount and currency together'],
    [{ amount: -1, currency: 'EUR' }, 'amount must not be negative'],
    [{ amount: 4.5, currency: 'EUR' }, 'amount must be an integer'],
    [{ amount: '49', currency: 'EUR' }, 'amount must be an integer'],
    [{ amount: 49, currency: 'eur' }, 'currency must be a currency code of three capital letters (ISO 4217)'],
    [{ amount: 49, currency: null }, 'currency must be a currency code'],
  ])('a report with %j is refused', async (fields, details) => {
    await choose('Business');
    expect(outcome(await report(fields))).toStrictEqual(malformed(details, service.clock));
    expect(await numbers()).toEqual([1]);
  });

  test('shows nothing of other departments', async () => {
    await choose('Business');
    const sibling = await service.newDepartment(team.ada, team.organization_id);
    expect((await team.ada.call('GET', `${sibling.place}/billing/history`)).body.pagination.total_items).toBe(
      0,
    );
  });

  test.each([...BAD_QUERIES, ['sort_by=at', 'sort_by must be one of number']])(
    'refuses ?%s',
    async (query, details) => {
      expect(outcome(await history(`?${query}`))).toStrictEqual(malformed(details, service.clock));
    },
  );
});
