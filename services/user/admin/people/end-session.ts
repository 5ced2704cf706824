import { AppError } from '@gatehouse/shared/http/errors';
import { endSession, lastExpiry } from '@gatehouse/shared/identity/sessions';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { message } from '@gatehouse/shared/operation/responses';
import { usableSessions } from '../../account/sessions-live.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { personToChange } from './change-person.ts';

export const endPersonSession = operation('DELETE /api/v1/admin/people/{person_id}/sessions/{session_id}', {
  needs: 'support operator',
  byKey: true,
  fresh: true,
  summary: 'End one session of a person',
  description: 'Refuses its tokens from now on. The person has to log in again on that device only.',
  body: withReason({}),
  returns: message('Session ended', 'The session has ended.'),
  fails: ['notFound', 'duplicate'],
  audits: ['admin.person_end_session'],
  async handle(call) {
    const { config, db, now, request, params } = call;
    const user = await personToChange(db, request, params.person_id);
    const user_id = userIdOf(user);
    const { session_id } = params;
    const [found] = user_id === null ? [] : await usableSessions(db, user, user_id, now(), session_id);
    if (!found || user_id === null) throw new AppError('notFound');
    const maxAge = config.SESSION_MAX_HOURS * 3_600_000;
    const until = lastExpiry(found.session, { expiresAt: now(), maxAge, now: now() });
    await endSession(db.users, user._id, found.session, until, now());
    await auditAdmin(call, 'admin.person_end_session', { target: { user_id, session_id } });
  },
});
