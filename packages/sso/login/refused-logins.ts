import { toAppError } from '@gatehouse/shared/http/to-app-error';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import { auditRefusal } from '@gatehouse/shared/identity/audit-refusal';
import { auditedWay } from '@gatehouse/shared/identity/login-ways';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Connection } from '../connection-records.ts';
import type { Database } from '../database.ts';
import { SsoRefusal } from '../refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The connection of a login by single sign-on, or the provider of a social login, and the address in the message, as soon as they are known. */
    sso: { connection?: Connection; provider?: string; email?: string };
  }
}

interface Recording {
  db: Database;
  now: () => number;
}

type Action = Extract<AuditAction, 'sso.login' | 'sso.logout' | 'login' | 'link.add'>;

/**
 * Logs and audits every refused login of the routes in this scope, with the reason for the operator. That includes
 * bodies that cannot be read, which no handler sees.
 * @param options.action what the routes do.
 */
export const refusedLogins = fp(
  async (app: FastifyInstance, { action = 'sso.login', ...options }: Recording & { action?: Action }) => {
    app.decorateRequest('sso');
    app.addHook('onRequest', async (request) => {
      request.sso = {};
    });
    app.addHook('onError', async (request, _reply, error) => {
      const refusal = asRefusal(error);
      if (refusal) await recordRefusal(options, request, action, refusal);
    });
  },
);

/** Logs and audits a refused message of a provider. */
async function recordRefusal(
  { db, now }: Recording,
  request: FastifyRequest,
  action: Action,
  { refusal, detail, cause }: SsoRefusal,
): Promise<void> {
  const { connection, provider, email = null } = request.sso ?? {};
  const what = provider === undefined ? 'single sign-on refused' : 'social login refused';
  request.log.warn({ refusal, detail, err: cause }, what);
  await auditRefusal(db, request, now(), {
    action: provider !== undefined && action === 'sso.login' ? 'login' : action,
    outcome: refusal,
    email,
    ...(connection && {
      target: { connection_id: connection.connection_id },
      organization_id: connection.organization_id,
    }),
    ...((detail || provider) && {
      after: {
        ...(provider && { ...auditedWay('social').after, provider: provider.slice(0, 50) }),
        ...(detail && { detail: detail.slice(0, 500) }),
      },
    }),
  });
}

function asRefusal(error: Error): SsoRefusal | undefined {
  if (error instanceof SsoRefusal) return error;
  const { reason, message, cause } = toAppError(error);
  // A protocol that has one status for every refusal.
  if (cause instanceof SsoRefusal) return cause;
  const isMalformed = reason === 'invalidFormat' || reason === 'missingField';
  return isMalformed ? new SsoRefusal('message malformed', message, cause) : undefined;
}
