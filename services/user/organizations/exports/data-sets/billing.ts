import type { DataSet } from '../data-set.ts';
import { byDepartment, departmentsOf } from './by-department.ts';

/** The billing record of each department, as an entry of the kind `current`, and its history. */
export const billing: DataSet = {
  needs: 'view billing',
  uses: ['view billing'],
  columns: [
    'department_id',
    'number',
    'at',
    'kind',
    'subscription_plan',
    'payment_status',
    'changed_by',
    'invoice_id',
    'amount',
    'currency',
  ],
  async count(db, scope) {
    const ids = await departmentsOf(db, scope);
    return ids.length + (await db.billingEntries.countDocuments({ department_id: { $in: ids } }));
  },
  read: byDepartment(async (db, { organization_id, department_id }, after, limit) => {
    // Read before the history, to which its entries move.
    const department = await db.departments.findOne(
      { organization_id, department_id },
      { projection: { billing: 1, billing_outbox: 1 } },
    );
    if (!department) return [];
    const { subscription_plan, payment_status, updated_at } = department.billing;
    const current = {
      number: null,
      at: updated_at,
      kind: 'current',
      subscription_plan,
      payment_status,
      changed_by: null,
      invoice_id: null,
      amount: null,
      currency: null,
    };
    const last = (after?.number as number) ?? 0;
    const stored = await db.billingEntries
      .find({ department_id, number: { $gt: last } }, { projection: { _id: 0 }, sort: { number: 1 }, limit })
      .toArray();
    const newest = stored.at(-1)?.number ?? last;
    const waiting = (department.billing_outbox ?? []).filter(({ number }) => number > newest);
    const entries = [...(after ? [] : [current]), ...stored, ...waiting];
    return entries.slice(0, limit).map((entry) => ({
      row: { ...entry, department_id },
      after: { number: entry.number ?? 0 },
    }));
  }),
};
