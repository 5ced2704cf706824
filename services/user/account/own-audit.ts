import { emailKey } from '@gatehouse/shared/identity/email';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { pageResponse, readPage } from '@gatehouse/shared/operation/lists';
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
    const email = emailKey(principalOf(request).user.email);
    const period = within(query);
    const byOthers = {
      $or: [{ user_id: { $nin: [user_id, null] } }, { user_id: null, email: { $ne: email } }],
    };
    const { data, pagination } = await readPage(
      db.auditEvents,
      auditTable,
      [
        { within: { user_id, ...period } },
        // From before the account had a user_id, or refused by the gateway, which looks up no account.
        { within: { email, user_id: null, ...period } },
        // By others, by jobs and by provisioning.
        { within: { 'target.user_id': user_id, ...byOthers, ...period } },
      ],
      query,
    );
    const present = (event: (typeof data)[0]) => {
      const shown = presentEvent(event);
      const isOwn = event.user_id === user_id || (event.user_id === null && event.email === email);
      return isOwn ? shown : withoutAddresses(shown);
    };
    return { data: data.map(present), pagination };
  },
});
