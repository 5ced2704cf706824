import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { personToChange, refuseOperator, targetOf, writeChange } from './change-person.ts';
import { personSummary, presentSummary, textOf } from './contract.ts';

export const disablePerson = operation('POST /api/v1/admin/people/{person_id}/disable', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Disable an account',
  description:
    'Ends every session, and no login works until an operator enables the account. A directory does not enable it again. A disabled account stays as it is. 403 for an operator, who is removed as one first.',
  body: withReason({}),
  returns: personSummary,
  fails: ['duplicate'],
  audits: ['admin.person_disable'],
  async handle(call) {
    const { db, now, request, params } = call;
    const user = await personToChange(db, request, params.person_id);
    await refuseOperator(db, user);
    if (user.account_status === 'disabled' && !user.deprovisioned) return presentSummary(user, now());
    const at = new Date(now());
    const changed = await writeChange(call, user, 'disabled', {
      filter: { account_status: user.account_status },
      update: {
        $set: { account_status: 'disabled' },
        // Otherwise a directory that had disabled it as well would enable it again.
        $unset: { deprovisioned: true },
        $max: { sessions_valid_from: at },
      },
    });
    const before = { account_status: textOf(user.account_status) };
    await auditAdmin(call, 'admin.person_disable', {
      target: targetOf(user),
      before,
      after: { account_status: 'disabled' },
    });
    return presentSummary(changed, now());
  },
});
