import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import { principalOf } from '@gatehouse/shared/identity/principal';
import type { User } from '@gatehouse/shared/identity/user-record';
import { pageResponse, readPage, type Visible } from '@gatehouse/shared/operation/lists';
import type { Filter, WithId } from 'mongodb';
import {
  auditQuery,
  auditRecord,
  auditTable,
  presentEvent,
  within,
  withoutAddresses,
  withoutOperatorAddress,
} from '../audit-list.ts';
import { operation } from './operation.ts';
import { ownAttempts } from './own-attempts.ts';

/** CONTRACT.md §Audit. */
export const ownAudit = operation('GET /api/v1/users/me/audit', {
  needs: 'own',
  byKey: 'view audit',
  summary: 'List your own audit events',
  description:
    'Lists what you did, what was attempted with your e-mail address, and what others changed about you, newest first. The e-mail and network addresses of others are null. `search` matches the actions.',
  query: auditQuery,
  returns: pageResponse(auditRecord),
  async handle({ db, request, caller: user_id, query }) {
    const { user } = principalOf(request);
    const { data, pagination } = await readPage(
      db.auditEvents,
      auditTable,
      ownEvents(user, user_id, within(query)),
      query,
    );
    return { data: data.map((event) => presentToPerson(user, event)), pagination };
  },
});

/** The events of a period that a person may see, in parts that do not overlap. */
export function ownEvents(
  account: WithId<User>,
  user_id: string,
  period: Filter<AuditEvent>,
): Visible<AuditEvent>[] {
  const email = emailKey(account.email);
  return [
    { within: { user_id, ...period } },
    { within: { $and: [ownAttempts(account), period] } },
    // By others, by jobs and by provisioning.
    {
      within: {
        'target.user_id': user_id,
        $or: [{ user_id: { $nin: [user_id, null] } }, { user_id: null, email: { $ne: email } }],
        ...period,
      },
    },
  ];
}

/** The event, without the addresses of others. */
export function presentToPerson({ user_id, email }: User, event: AuditEvent) {
  const shown = presentEvent(event);
  const isOwn = event.user_id === user_id || (event.user_id === null && event.email === emailKey(email));
  if (!isOwn) return withoutAddresses(shown);
  return withoutOperatorAddress(shown);
}
