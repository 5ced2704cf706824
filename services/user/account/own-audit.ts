import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { pageResponse, readPage, type Visible } from '@gatehouse/shared/operation/lists';
import type { Filter } from 'mongodb';
import {
  auditQuery,
  auditRecord,
  auditTable,
  presentEvent,
  within,
  withoutAddresses,
} from '../audit-list.ts';
import { operation } from './operation.ts';

/** CONTRACT.md §Audit. */
export const ownAudit = operation('GET /api/v1/users/me/audit', {
  needs: 'own',
  summary: 'List your own audit events',
  description:
    'Lists what you did, what was attempted with your e-mail address, and what others changed about you, newest first. The e-mail and network addresses of others are null. `search` matches the actions.',
  query: auditQuery,
  returns: pageResponse(auditRecord),
  async handle({ db, request, caller: user_id, query }) {
    const person = { user_id, email: emailKey(principalOf(request).user.email) };
    const { data, pagination } = await readPage(
      db.auditEvents,
      auditTable,
      ownEvents(person, within(query)),
      query,
    );
    return { data: data.map((event) => presentToPerson(person, event)), pagination };
  },
});

interface Person {
  user_id: string;
  /** In lower case. */
  email: string;
}

/** The events of a period that a person may see, in parts that do not overlap. */
export const ownEvents = ({ user_id, email }: Person, period: Filter<AuditEvent>): Visible<AuditEvent>[] => [
  { within: { user_id, ...period } },
  // From before the account had a user_id, or refused by the gateway, which looks up no account.
  { within: { email, user_id: null, ...period } },
  // By others, by jobs and by provisioning.
  {
    within: {
      'target.user_id': user_id,
      $or: [{ user_id: { $nin: [user_id, null] } }, { user_id: null, email: { $ne: email } }],
      ...period,
    },
  },
];

/** The event, without the addresses of others. */
export function presentToPerson({ user_id, email }: Person, event: AuditEvent) {
  const shown = presentEvent(event);
  const isOwn = event.user_id === user_id || (event.user_id === null && event.email === email);
  return isOwn ? shown : withoutAddresses(shown);
}
