import { optimistic } from '@gatehouse/shared/durable/optimistic';
import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { endAdmin } from '../../operators/end-admin.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';

export const removeOperator = operation('DELETE /api/v1/admin/operators/{user_id}', {
  needs: 'admin operator',
  fresh: true,
  summary: 'Remove an operator',
  description:
    'The account is no operator any more, from its next call on. Admins may remove themselves while another admin who can act remains.',
  body: withReason({}),
  returns: message('Operator removed', 'The account is an ordinary one.'),
  fails: ['lastAdmin', 'unavailable'],
  audits: ['admin.operator_remove'],
  async handle(call) {
    const { db, now, params } = call;
    const { user_id } = params;
    const removed = await optimistic(async () => {
      const ended = await endAdmin(db, user_id, now(), (mark) =>
        db.operators.findOneAndDelete({ _id: user_id, ...mark }),
      );
      if (ended) return ended;
      const supporter = await db.operators.findOneAndDelete({ _id: user_id, level: 'support' });
      if (supporter) return supporter;
      // An admin again, if a concurrent call has raised them.
      return (await db.operators.findOne({ _id: user_id })) ? undefined : null;
    });
    const { level } = orNotFound(removed);
    await auditAdmin(call, 'admin.operator_remove', { target: { user_id }, before: { level } });
  },
});
