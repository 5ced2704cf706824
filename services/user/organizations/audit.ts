import { line } from '@gatehouse/shared/http/fields';
import { pageResponse, readPage } from '@gatehouse/shared/operation/lists';
import { auditQuery, auditRecord, auditTable, within } from '../audit-list.ts';
import { operation } from './operation.ts';
import { actorShown, presentToOwners } from './present-event.ts';

/** CONTRACT.md §Audit. */
export const listAudit = operation('GET /api/v1/organizations/{organization_id}/audit', {
  needs: 'ownership',
  byKey: 'view audit',
  summary: 'List the audit events of an organization',
  description:
    'Lists the changes of the organization and its departments, owners, members, invitations, bills, chatbots and access lists, newest first. The e-mail and network addresses of a person who accepts an invitation or leaves are null. So is everything about the actor who declines one. `actor` filters by the `user_id` of the account that acted. `search` matches the actions.',
  query: auditQuery.extend({ actor: line(200).optional(), department_id: line(200).optional() }),
  returns: pageResponse(auditRecord),
  async handle({ db, params: { organization_id }, query }) {
    const { actor, department_id } = query;
    const chosen = {
      organization_id,
      ...within(query),
      ...(actor && { user_id: actor, ...actorShown }),
      ...(department_id && { department_id }),
    };
    const { data, pagination } = await readPage(db.auditEvents, auditTable, [{ within: chosen }], query);
    return { data: data.map(presentToOwners), pagination };
  },
});
