import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { endSession } from '@gatehouse/shared/identity/sessions';
import { message } from '@gatehouse/shared/operation/responses';
import { operatorOf } from '../../operators/require-operator.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';

export const endSupportSession = operation('DELETE /api/v1/admin/support-sessions/{session_id}', {
  needs: 'support operator',
  fresh: true,
  summary: 'End a support session',
  description:
    'Refuses its token from now on. Operators end their own support sessions, admins those of all.',
  body: withReason({}),
  returns: message('Support session ended', 'The session has ended.'),
  fails: ['notFound'],
  audits: ['admin.support_session_end'],
  async handle(call) {
    const { db, now, caller, request, params } = call;
    const { session_id } = params;
    const { operator, person_id, expires_at } = orNotFound(await db.supportSessions.findOne({ session_id }));
    if (operator !== caller && operatorOf(request).level !== 'admin') throw new AppError('forbidden');
    const person = await db.users.findOne({ user_id: person_id }, { projection: { _id: 1 } });
    // First, so that a repeated call completes what a kill interrupted.
    if (person) await endSession(db.users, person._id, { id: session_id }, expires_at.getTime(), now());
    const { modifiedCount } = await db.supportSessions.updateOne(
      { session_id, ended_at: { $exists: false } },
      { $set: { ended_at: new Date(now()) } },
    );
    if (modifiedCount === 1)
      await auditAdmin(call, 'admin.support_session_end', { target: { user_id: person_id, session_id } });
  },
});
