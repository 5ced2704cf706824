import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { SsoOptions } from '../options.ts';
import type { Connection } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The connection of a login by single sign-on and the address in its message, as soon as they are known. */
    sso: { connection?: Connection; email?: string };
  }
}

/** Logs and audits every refused login of the routes in this scope, with the reason for the operator. */
export const refusedLogins = fp(async (app: FastifyInstance, { db, now }: Pick<SsoOptions, 'db' | 'now'>) => {
  app.decorateRequest('sso');
  app.addHook('onRequest', async (request) => {
    request.sso = {};
  });
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = async function (request, reply) {
      try {
        return await handler.call(this, request, reply);
      } catch (error) {
        if (!(error instanceof SsoRefusal)) throw error;
        const { connection, email = null } = request.sso;
        const { refusal, detail } = error;
        request.log.warn({ refusal, detail, err: error.cause }, 'single sign-on refused');
        await audit(db, request, now(), {
          action: 'sso.login',
          outcome: refusal,
          email,
          ...(connection && {
            target: { connection_id: connection.connection_id },
            organization_id: connection.organization_id,
          }),
          ...(detail && { after: { detail: detail.slice(0, 500) } }),
        });
        throw error;
      }
    };
  });
});
