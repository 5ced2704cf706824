import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { userIdOf } from '@gatehouse/shared/identity/users';
import { pageResponse, readPage, type Visible } from '@gatehouse/shared/operation/lists';
import { ownAttempts } from '../../account/own-attempts.ts';
import { ownEvents } from '../../account/own-audit.ts';
import { auditQuery, auditRecord, auditTable, presentEvent, within } from '../../audit-list.ts';
import { operation } from '../operation.ts';
import { findPerson } from './find-person.ts';

export const listPersonAudit = operation('GET /api/v1/admin/people/{person_id}/audit', {
  needs: 'support operator',
  byKey: true,
  summary: 'List the audit events of a person',
  description:
    'Lists what the person did, what was attempted with their e-mail address, and what others changed about them, newest first. `search` matches the actions.',
  query: auditQuery,
  returns: pageResponse(auditRecord),
  async handle({ db, params, query }) {
    const user = await findPerson(db, params.person_id);
    const user_id = userIdOf(user);
    const period = within(query);
    const visible: Visible<AuditEvent>[] =
      user_id === null
        ? [{ within: { $and: [ownAttempts(user), period] } }]
        : ownEvents(user, user_id, period);
    const { data, pagination } = await readPage(db.auditEvents, auditTable, visible, query);
    return { data: data.map(presentEvent), pagination };
  },
});
