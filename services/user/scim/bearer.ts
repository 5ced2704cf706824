import { ScimError } from '@gatehouse/scim/errors';
import type { Connection } from '@gatehouse/sso/connection-records';
import { digest } from '@gatehouse/sso/digest';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { closedAmong, isWrite } from '../access/archived.ts';
import { hasSsoPlan } from '../access/sso-plan.ts';
import type { ProvisioningOptions } from '../provisioning/options.ts';

declare module 'fastify' {
  interface FastifyRequest {
    scimConnection: Connection | undefined;
  }
}

/**
 * Requires the SCIM token of an enabled connection on every route of this scope. 401 comes before 404. An archived
 * organization is read-only.
 */
export const scimBearer = ({ db, now }: Pick<ProvisioningOptions, 'db' | 'now'>) =>
  fp(async (app: FastifyInstance) => {
    app.decorateRequest('scimConnection', undefined);
    app.addHook('onRequest', async (request) => {
      const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
      if (token === undefined) throw new ScimError(401, 'The request has no bearer token');
      const connection = await db.ssoConnections.findOne({ scim_token: digest(token) });
      if (!connection?.enabled)
        throw new ScimError(401, 'The token is unknown, revoked or of a disabled connection');
      const { organization_id } = connection;
      const organization = { organization_id, department_id: null };
      const [hasPlan, isClosed] = await Promise.all([
        hasSsoPlan(db, organization_id, now()),
        closedAmong(db, isChange(request) ? [organization] : []),
      ]);
      if (!hasPlan) throw new ScimError(403, 'The plan of the organization does not include provisioning');
      if (isChange(request) && isClosed(organization))
        throw new ScimError(403, 'The organization is archived');
      request.scimConnection = connection;
    });
  });

/** A search may be a POST (RFC 7644 §3.4.3). */
const isChange = (request: FastifyRequest): boolean =>
  isWrite(request) && !request.routeOptions.url?.endsWith('/.search');

export function connectionOf({ scimConnection }: FastifyRequest): Connection {
  if (!scimConnection) throw new Error('the route is not under /scim/v2');
  return scimConnection;
}
