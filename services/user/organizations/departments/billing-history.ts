import { containsText, listQuery, pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { z } from 'zod';
import { operation } from '../operation.ts';
import { BILLING_KINDS, PAYMENT_STATUSES, PLANS } from '../records.ts';
import { storeEntries } from './billing-entries.ts';

const table = {
  sortable: ['number'],
  filters: { kind: BILLING_KINDS },
  search: containsText('invoice_id'),
  unique: 'number',
} as const;

const entryRecord = z
  .object({
    number: z.int().meta({ description: 'Counts the entries of the department from 1, without gaps' }),
    at: z.string().meta({ format: 'date-time' }),
    kind: z
      .enum(BILLING_KINDS)
      .meta({ description: '`plan`: another plan was chosen; `payment`: the payment service reported' }),
    subscription_plan: z.enum(PLANS),
    payment_status: z.enum(PAYMENT_STATUSES),
    changed_by: z.string().nullable().meta({ description: 'Who chose the plan; null for a report' }),
    invoice_id: z.string().nullable(),
    amount: z.int().nullable().meta({ description: 'In the smallest unit of the currency, such as cents' }),
    currency: z.string().nullable().meta({ description: 'ISO 4217' }),
  })
  .meta({
    description: 'The billing record after the change',
    examples: [
      {
        number: 2,
        at: '2026-01-15T09:30:00.000Z',
        kind: 'payment',
        subscription_plan: 'Business',
        payment_status: 'paid',
        changed_by: null,
        invoice_id: 'INV-2026-0042',
        amount: 4900,
        currency: 'EUR',
      },
    ],
  });

export const billingHistory = operation(
  'GET /api/v1/organizations/{organization_id}/departments/{department_id}/billing/history',
  {
    needs: 'manage payment',
    summary: 'List the billing history of a department',
    description:
      'Lists every change of the plan and every payment report, by its number. A repeated report with the same `invoice_id` and status is one entry. `search` matches the invoice_id.',
    query: listQuery(table),
    returns: pageResponse(entryRecord),
    async handle({ db, params: { department_id }, query, request }) {
      await storeEntries(db, request, department_id);
      return readPage(db.billingEntries, table, [{ within: { department_id } }], query);
    },
  },
);
