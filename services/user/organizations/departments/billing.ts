import { orNotFound } from '@gatehouse/shared/http/errors';
import { jsonBody, oneOf } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import { membershipOf } from '../../access/membership.ts';
import { archivedIn } from '../../access/roles.ts';
import { operation } from '../operation.ts';
import { type Department, PAYMENT_STATUSES, PLANS } from '../records.ts';
import { appended, storeEntries } from './billing-entries.ts';

export const billingRecord = z
  .object({
    department_id: z.string(),
    subscription_plan: z.enum(PLANS),
    payment_status: z.enum(PAYMENT_STATUSES),
    subscription_date: z
      .string()
      .meta({ format: 'date', description: 'The date on which the plan was chosen' }),
    updated_at: z.string().meta({ format: 'date-time' }),
    ended_at: z
      .string()
      .meta({ format: 'date-time', description: 'Since when the department or its organization is archived' })
      .exactOptional(),
  })
  .meta({
    description: 'The billing record',
    examples: [
      {
        department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52',
        subscription_plan: 'Business',
        payment_status: 'pending',
        subscription_date: '2026-01-15',
        updated_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

const changes = jsonBody({ subscription_plan: oneOf(PLANS) }).meta({
  examples: [{ subscription_plan: 'Business' }],
});

/** The audited fields of a billing record. */
export const auditedPlan = ({ subscription_plan, payment_status }: Department['billing']) => ({
  subscription_plan,
  payment_status,
});

export const getBilling = operation(
  'GET /api/v1/organizations/{organization_id}/departments/{department_id}/billing',
  {
    needs: 'view billing',
    summary: 'Read the billing record of a department',
    description:
      'Each department has its own plan and payment status. The billing of an archived department has ended.',
    returns: billingRecord,
    async handle({ db, request, params: { organization_id, department_id } }) {
      const { billing } = orNotFound(await db.departments.findOne({ organization_id, department_id }));
      const archived = archivedIn(membershipOf(request).roles, department_id);
      return { department_id, ...billing, ...(archived && { ended_at: archived.at }) };
    },
  },
);

export const changePlan = operation(
  'PATCH /api/v1/organizations/{organization_id}/departments/{department_id}/billing',
  {
    needs: 'upgrade/downgrade plan',
    summary: 'Change the plan of a department',
    description: 'A new plan is `pending` until the payment service reports its payment.',
    body: changes,
    returns: billingRecord,
    audits: ['billing.plan'],
    async handle({
      db,
      now,
      request,
      params: { organization_id, department_id },
      body: { subscription_plan },
      audit,
    }) {
      const at = new Date(now()).toISOString();
      const chosen = { subscription_plan, payment_status: 'pending' } as const;
      const isNew = { $ne: ['$billing.subscription_plan', subscription_plan] };
      const { billing: before } = orNotFound(
        await db.departments.findOneAndUpdate(
          { organization_id, department_id },
          [
            {
              $set: {
                ...appended({ kind: 'plan', at, ...chosen, changed_by: membershipOf(request).caller }, isNew),
                billing: {
                  subscription_plan,
                  subscription_date: { $cond: [isNew, at.slice(0, 10), '$billing.subscription_date'] },
                  payment_status: { $cond: [isNew, 'pending', '$billing.payment_status'] },
                  updated_at: at,
                },
                payment_grace: { $cond: [isNew, '$$REMOVE', '$payment_grace'] },
              },
            },
          ],
          { returnDocument: 'before' },
        ),
      );
      const isChange = before.subscription_plan !== subscription_plan;
      const subscription_date = at.slice(0, 10);
      const billing = { ...before, ...(isChange && { ...chosen, subscription_date }), updated_at: at };
      await storeEntries(db, request, department_id);
      await audit('billing.plan', { before: auditedPlan(before), after: auditedPlan(billing) });
      return { department_id, ...billing };
    },
  },
);
