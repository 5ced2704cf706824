import { line } from '@gatehouse/shared/http/fields';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { auditQuery, auditRecord, auditTable, within } from '../audit-list.ts';
import type { Database } from '../database.ts';
import { pageResponse, readPage } from '../lists.ts';
import { organizationPath, refusals, tagged } from './contract.ts';
import { actorShown, presentToOwners } from './present-event.ts';

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

/** GET /api/v1/organizations/{organization_id}/audit (CONTRACT.md §Audit). */
export const listAudit: FastifyPluginAsyncZod<{ db: Database }> = async (app, { db }) => {
  app.get('/api/v1/organizations/:organization_id/audit', { schema, config }, async (request) => {
    const { organization_id } = request.params;
    const { actor, department_id } = request.query;
    const chosen = {
      organization_id,
      ...within(request.query),
      ...(actor && { user_id: actor, ...actorShown }),
      ...(department_id && { department_id }),
    };
    const { data, pagination } = await readPage(
      db.auditEvents,
      auditTable,
      [{ within: chosen }],
      request.query,
    );
    return { data: data.map(presentToOwners), pagination };
  });
};
