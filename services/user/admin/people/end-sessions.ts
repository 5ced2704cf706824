import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { personToChange, targetOf, writeChange } from './change-person.ts';
import { personSummary, presentSummary } from './contract.ts';

export const endPersonSessions = operation('POST /api/v1/admin/people/{person_id}/end-sessions', {
  needs: 'support operator',
  byKey: true,
  fresh: true,
  summary: 'End every session of a person',
  description: 'The person has to log in again on every device.',
  body: withReason({}),
  returns: personSummary,
  fails: ['duplicate'],
  audits: ['admin.person_end_sessions'],
  async handle(call) {
    const { db, now, request, params } = call;
    const user = await personToChange(db, request, params.person_id);
    const changed = await writeChange(call, user, 'sessions_ended', {
      update: { $max: { sessions_valid_from: new Date(now()) } },
    });
    await auditAdmin(call, 'admin.person_end_sessions', { target: targetOf(user) });
    return presentSummary(changed, now());
  },
});
