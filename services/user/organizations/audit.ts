import { line } from '@gatehouse/shared/http/fields';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import {
  auditQuery,
  auditRecord,
  auditTable,
  presentEvent,
  within,
  withoutAddresses,
} from '../audit-list.ts';
import type { Database } from '../database.ts';
import { pageResponse, readPage } from '../lists.ts';
import { organizationPath, refusals, tagged } from './contract.ts';

const config = { permission: 'ownership' } as const;

const schema = {
  ...tagged,
  summary: 'List the audit events of an organization',
  description:
    'Lists the changes of the organization and its departments, owners, members, invitations, bills, chatbots and access lists, newest first. The e-mail and network addresses of a person who accepts an invitation or leaves are null. So is everything about the actor who declines one. `actor` filters by the `user_id` of the account that acted. `search` matches the actions.',
  params: organizationPath,
  querystring: auditQuery.extend({ actor: line(200).optional(), department_id: line(200).optional() }),
  response: { 200: pageResponse(auditRecord), ...refusals },
};

/** What an invitee does by accepting an invitation, which these events name. */
const ACCEPTED: ReadonlySet<AuditEvent['action']> = new Set([
  'invitation.accept',
  'owner.add',
  'owner.remove',
]);

/** GET /api/v1/organizations/{organization_id}/audit (CONTRACT.md §Audit). */
export const listAudit: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/organizations/:organization_id/audit', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { actor, department_id } = request.query;
    const chosen = {
      organization_id,
      ...within(request.query),
      // Who declines an invitation to an address must not be found by it.
      ...(actor && { user_id: actor, action: { $ne: 'invitation.decline' as const } }),
      ...(department_id && { department_id }),
    };
    const { data, pagination } = await readPage(
      db.auditEvents,
      auditTable,
      [{ within: chosen }],
      request.query,
    );
    const present = (event: AuditEvent) => {
      const shown = presentEvent(event);
      const isAccepted = ACCEPTED.has(event.action) && event.target.invitation_id !== undefined;
      const isLeft = event.target.user_id === event.user_id && event.after === null;
      if (event.action === 'invitation.decline') {
        return { ...shown, actor: { user_id: null, email: null }, address: null };
      }
      // An invitation by user_id tells no address, so joining or leaving must not reveal it.
      // Another organization has proved control of the domain.
      const isTaken = event.action === 'domain.update' && event.user_id === null;
      return isAccepted || isLeft || isTaken ? withoutAddresses(shown) : shown;
    };
    return { data: data.map(present), pagination };
  });
};
