import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { personToChange, targetOf, writeChange } from './change-person.ts';
import { personSummary, presentSummary } from './contract.ts';

export const enablePerson = operation('POST /api/v1/admin/people/{person_id}/enable', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Enable an account',
  description:
    'The person can log in again; an account whose address is not verified is paused until it is. Sessions stay ended. An account that is not disabled stays as it is.',
  body: withReason({}),
  returns: personSummary,
  fails: ['duplicate'],
  audits: ['admin.person_enable'],
  async handle(call) {
    const { db, now, request, params } = call;
    const user = await personToChange(db, request, params.person_id);
    if (user.account_status !== 'disabled') return presentSummary(user, now());
    const account_status = user.verified ? 'active' : 'paused';
    const changed = await writeChange(call, user, 'enabled', {
      filter: { account_status: 'disabled', verified: user.verified ?? (null as never) },
      update: { $set: { account_status }, $unset: { deprovisioned: true } },
    });
    await auditAdmin(call, 'admin.person_enable', {
      target: targetOf(user),
      before: { account_status: 'disabled' },
      after: { account_status },
    });
    return presentSummary(changed, now());
  },
});
