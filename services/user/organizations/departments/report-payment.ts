import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody, line, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { operation } from '../operation.ts';
import { type Department, PAYMENT_STATUSES, type PaymentReport, PLANS } from '../records.ts';
import { auditedPlan, billingRecord } from './billing.ts';
import { appended, storeEntries } from './billing-entries.ts';
import { GRACE_DAYS, graceAfter } from './payment-grace.ts';

/** Invoices of a department whose reports are known; the oldest are forgotten. */
const MAX_REPORTS = 100;

export const reportPayment = operation('PUT /internal/departments/{department_id}/payment-status', {
  needs: 'service key',
  summary: 'Report the payment status of a department',
  description: `For the payment service only: members of a department choose its plan but cannot report its payment. A report for a plan that the department no longer has is refused with 409. A repeated report with the same \`invoice_id\` and status has no second effect. When the payment of a paid Enterprise plan fails, single sign-on stays available for ${GRACE_DAYS} days, and the Owners of the organization are told by mail.`,
  body: jsonBody({
    payment_status: oneOf(PAYMENT_STATUSES),
    subscription_plan: oneOf(PLANS),
    invoice_id: line(200).exactOptional(),
    amount: z
      .int(expecting('must be an integer'))
      .min(0, { error: 'must not be negative' })
      .exactOptional()
      .meta({ description: 'In the smallest unit of the currency, such as cents' }),
    currency: z
      .string(expecting('must be a currency code'))
      .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three capital letters (ISO 4217)' })
      .exactOptional(),
  })
    .refine(({ amount, currency }) => (amount === undefined) === (currency === undefined), {
      error: 'must contain amount and currency together',
    })
    .meta({
      examples: [
        {
          payment_status: 'paid',
          subscription_plan: 'Business',
          invoice_id: 'INV-2026-0042',
          amount: 4900,
          currency: 'EUR',
        },
      ],
    }),
  returns: billingRecord,
  fails: ['notFound', 'duplicate'],
  audits: ['billing.payment'],
  async handle({ db, now, wakePaymentNotices, request, params: { department_id }, body, audit }) {
    const { invoice_id } = body;
    const { billing, before } = await applyReport(db, department_id, body, now());
    await storeEntries(db, request, department_id);
    if (before)
      await audit('billing.payment', {
        before: auditedPlan(before.billing),
        after: { ...auditedPlan(billing), ...(invoice_id !== undefined && { invoice_id }) },
        organization_id: before.organization_id,
      });
    if (body.payment_status === 'failed') wakePaymentNotices();
    return { department_id, ...billing };
  },
});

/**
 * Applies a report with one write, whose filter names the plan and excludes a report that is already known.
 * @returns the billing record, and the department before; without it if the report is known.
 * @throws {AppError} notFound; duplicate if the department or the invoice has another plan.
 */
async function applyReport(
  db: Database,
  department_id: string,
  report: Omit<PaymentReport, 'invoice_id'> & { invoice_id?: string; amount?: number; currency?: string },
  now: number,
): Promise<{ billing: Department['billing']; before?: Department }> {
  const { payment_status, subscription_plan, invoice_id, amount, currency } = report;
  const ofInvoice = (fields: object) => ({
    payment_reports: { $not: { $elemMatch: { invoice_id, ...fields } } },
  });
  const changes = { payment_status, updated_at: new Date(now).toISOString() };
  const before = await db.departments.findOneAndUpdate(
    {
      department_id,
      'billing.subscription_plan': subscription_plan,
      ...(invoice_id !== undefined && {
        $and: [ofInvoice({ payment_status }), ofInvoice({ subscription_plan: { $ne: subscription_plan } })],
      }),
    },
    [
      {
        $set: {
          'billing.payment_status': changes.payment_status,
          'billing.updated_at': changes.updated_at,
          ...graceAfter(payment_status, now),
          ...(invoice_id !== undefined && {
            payment_reports: {
              $slice: [
                {
                  $concatArrays: [
                    { $ifNull: ['$payment_reports', []] },
                    [{ invoice_id: { $literal: invoice_id }, subscription_plan, payment_status }],
                  ],
                },
                -MAX_REPORTS,
              ],
            },
          }),
          ...appended({
            kind: 'payment',
            at: changes.updated_at,
            subscription_plan,
            payment_status,
            changed_by: null,
            ...(invoice_id !== undefined && { invoice_id }),
            ...(amount !== undefined && { amount }),
            ...(currency !== undefined && { currency }),
          }),
        },
      },
    ],
    { returnDocument: 'before' },
  );
  if (before) return { billing: { ...before.billing, ...changes }, before };
  const department = orNotFound(await db.departments.findOne({ department_id }));
  const known = (department.payment_reports ?? []).filter((each) => each.invoice_id === invoice_id);
  if (known.some((each) => each.subscription_plan !== subscription_plan)) {
    throw new AppError('duplicate', { text: 'The invoice is for another plan' });
  }
  // A repeat is answered as the first report was, even if the plan has changed since.
  if (known.some((each) => each.payment_status === payment_status)) return { billing: department.billing };
  throw new AppError('duplicate', { text: 'The department has another plan' });
}
