import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { line, oneOf } from '@gatehouse/shared/http/fields';
import { auditedPlan, billingRecord } from '../../organizations/departments/billing.ts';
import { appended, storeEntries } from '../../organizations/departments/billing-entries.ts';
import { PAYMENT_STATUSES, PLANS } from '../../organizations/records.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';

export const setOrganizationPlan = operation('PUT /api/v1/admin/organizations/{organization_id}/plan', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Set the plan of a department as an operator',
  description:
    'Each department has its own plan; the organization has the best one that is paid. `payment_status` is `paid` unless another is given, so that the plan counts at once. The change is in the billing history. A department of an archived organization, or an archived one, is 403.',
  body: withReason(
    {
      department_id: line(200),
      subscription_plan: oneOf(PLANS),
      payment_status: oneOf(PAYMENT_STATUSES).default('paid'),
    },
    { department_id: '01936f2f-02b1-7c1f-9a77-3f1d3c0e8b52', subscription_plan: 'Business' },
  ),
  returns: billingRecord,
  audits: ['admin.organization_plan'],
  async handle(call) {
    const {
      db,
      now,
      caller,
      request,
      params: { organization_id },
      body,
    } = call;
    const { department_id, subscription_plan, payment_status } = body;
    const organization = orNotFound(await db.organizations.findOne({ organization_id }));
    if (organization.archived_at) throw new AppError('forbidden', { text: 'The organization is archived' });
    const department = { organization_id, department_id };
    const at = new Date(now()).toISOString();
    const isNew = { $ne: ['$billing.subscription_plan', subscription_plan] };
    const isChange = { $or: [isNew, { $ne: ['$billing.payment_status', payment_status] }] };
    const chosen = { subscription_plan, payment_status };
    const before = await db.departments.findOneAndUpdate(
      { ...department, archived_at: { $exists: false } },
      [
        {
          $set: {
            ...appended({ kind: 'plan', at, ...chosen, changed_by: caller }, isChange),
            billing: {
              ...chosen,
              subscription_date: { $cond: [isNew, at.slice(0, 10), '$billing.subscription_date'] },
              updated_at: at,
            },
            payment_grace: '$$REMOVE',
          },
        },
      ],
      { returnDocument: 'before' },
    );
    if (!before) {
      orNotFound(await db.departments.findOne(department));
      throw new AppError('forbidden', { text: 'The department is archived' });
    }
    await storeEntries(db, request, department_id);
    await auditAdmin(call, 'admin.organization_plan', {
      department_id,
      before: auditedPlan(before.billing),
      after: chosen,
    });
    const hasChanged = before.billing.subscription_plan !== subscription_plan;
    const subscription_date = hasChanged ? at.slice(0, 10) : before.billing.subscription_date;
    return { department_id, ...chosen, subscription_date, updated_at: at };
  },
});
