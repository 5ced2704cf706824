import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { beingChanged, NOT_BEING_DELETED, personToChange, targetOf } from './change-person.ts';
import { personSummary, presentSummary } from './contract.ts';

export const restorePerson = operation('POST /api/v1/admin/people/{person_id}/restore', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Cancel the deletion of a person',
  description:
    'The account stays, as after a login. One whose deletion nobody has asked for stays as it is; one whose deletion has begun cannot be restored.',
  body: withReason({}),
  returns: personSummary,
  fails: ['duplicate'],
  audits: ['admin.person_restore'],
  async handle(call) {
    const { db, now, request, params, wakeNotices } = call;
    const user = await personToChange(db, request, params.person_id);
    const { deletion } = user;
    if (!deletion) return presentSummary(user, now());
    const changed = await db.users.findOneAndUpdate(
      { _id: user._id, 'deletion.requested_at': deletion.requested_at, ...NOT_BEING_DELETED },
      withNotice(
        { $unset: { deletion: true } },
        newNotice({ kind: 'deletion_cancelled', to: user.email, at: now(), details: {} }),
      ),
      { returnDocument: 'after' },
    );
    if (!changed) throw beingChanged();
    wakeNotices();
    await auditAdmin(call, 'admin.person_restore', {
      target: targetOf(user),
      before: { due_at: deletion.due_at.toISOString() },
    });
    return presentSummary(changed, now());
  },
});
