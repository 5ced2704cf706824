import { oneOf } from '@gatehouse/shared/http/fields';
import { PLANS } from '../../organizations/records.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { personToChange, targetOf, writeChange } from './change-person.ts';
import { personSummary, presentSummary, textOf } from './contract.ts';

export const setPersonPlan = operation('PUT /api/v1/admin/people/{person_id}/plan', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Change the plan of a person',
  description: 'Changes `subscription_plan`, which decides about rate limits and quotas.',
  body: withReason({ plan: oneOf(PLANS) }, { plan: 'Business' }),
  returns: personSummary,
  fails: ['duplicate'],
  audits: ['admin.person_plan'],
  async handle(call) {
    const { db, now, request, params, body } = call;
    const user = await personToChange(db, request, params.person_id);
    const { subscription_plan } = user;
    if (subscription_plan === body.plan) return presentSummary(user, now());
    const changed = await writeChange(call, user, 'plan', {
      filter: { subscription_plan: subscription_plan ?? (null as never) },
      update: { $set: { subscription_plan: body.plan } },
    });
    await auditAdmin(call, 'admin.person_plan', {
      target: targetOf(user),
      before: { plan: textOf(subscription_plan) },
      after: { plan: body.plan },
    });
    return presentSummary(changed, now());
  },
});
