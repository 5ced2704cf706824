import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../database.ts';
import type { BillingEntry } from '../records.ts';

/**
 * The write that changes a billing record also numbers the change and puts its entry into the department's outbox, so
 * the history lacks no change. From there the entry is stored under its number, which makes repeating it harmless.
 */

type NewEntry = Omit<BillingEntry, 'department_id' | 'number' | 'invoice_id' | 'amount' | 'currency'> &
  Partial<Pick<BillingEntry, 'invoice_id' | 'amount' | 'currency'>>;

const OUTBOX = { $ifNull: ['$billing_outbox', []] };
const LAST = { $ifNull: ['$billing_number', 0] };
const NEXT = { $add: [LAST, 1] };

/**
 * Fields for the `$set` of a pipeline that changes a billing record.
 * @param entry without its plan, the entry has the plan that the department has.
 * @param condition an expression.
 */
export function appended(
  entry: Omit<NewEntry, 'subscription_plan'> & Partial<NewEntry>,
  condition: unknown = true,
) {
  const fields = { invoice_id: null, amount: null, currency: null, ...entry };
  const literals = Object.entries(fields).map(([field, value]) => [field, { $literal: value }]);
  const present = { subscription_plan: '$billing.subscription_plan' };
  const added = { $concatArrays: [OUTBOX, [{ number: NEXT, ...present, ...Object.fromEntries(literals) }]] };
  return {
    billing_number: { $cond: [condition, NEXT, LAST] },
    billing_outbox: { $cond: [condition, added, OUTBOX] },
  };
}

/** Moves entries from the outbox of a department to its history. A failure leaves them for the next call. */
export async function storeEntries(
  db: Database,
  { log }: FastifyRequest,
  department_id: string,
): Promise<void> {
  try {
    const department = await db.departments.findOne(
      { department_id, 'billing_outbox.0': { $exists: true } },
      { projection: { billing_outbox: 1 } },
    );
    const entries = department?.billing_outbox ?? [];
    for (const entry of entries)
      await db.billingEntries.insertOne({ department_id, ...entry }).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error; // stored by another call
      });
    const last = entries.at(-1)?.number;
    if (last === undefined) return;
    await db.departments.updateOne(
      { department_id },
      { $pull: { billing_outbox: { number: { $lte: last } } } },
    );
  } catch (error) {
    log.error({ err: error, department_id }, 'billing entries not stored yet');
  }
}
