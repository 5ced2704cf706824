import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { type AuditEvent, audit } from '@gatehouse/shared/identity/audit';
import { auditRefusal } from '@gatehouse/shared/identity/audit-refusal';
import { maskUnlessAddress } from '@gatehouse/shared/identity/email';
import type { User } from '@gatehouse/shared/identity/user-record';
import { findUserByEmail, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Database } from '../database.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields that the attempt changed, for its audit event. */
    auditedChange?: AuditEvent['after'];
    /** The account after the attempt, if the operation has it. Otherwise it is read again. */
    auditedAccount?: Pick<User, 'user_id' | 'email'>;
  }
}

/** Audits each attempt at an operation as the action that it declares, whether it succeeds or is refused. A malformed form never reaches the handler and is no attempt. */
export const auditAttempts = fp(
  async (app: FastifyInstance, { db, now }: { db: Database; now: () => number }) => {
    app.decorateRequest('auditedChange', undefined);
    app.decorateRequest('auditedAccount', undefined);
    app.addHook('onRoute', (route) => {
      const [action] = route.config?.operation?.audits ?? [];
      const { handler } = route;
      if (!action) return;
      route.handler = async function (request, reply) {
        const [attempt] = await Promise.allSettled([handler.call(this, request, reply)]);
        const failure = attempt.status === 'rejected' ? toAppError(attempt.reason) : undefined;
        const { email } = request.body as { email: string };
        // If the operation failed, the database may be down.
        const isDown = failure !== undefined && failure.status >= 500;
        const known = request.auditedAccount ?? null;
        const user = known || isDown ? known : await findUserByEmail(db.users, email).catch(() => null);
        const record = failure && !user ? auditRefusal : audit;
        await record(db, request, now(), {
          action,
          outcome: failure?.message ?? 'success',
          email: user?.email ?? maskUnlessAddress(email),
          user_id: user && userIdOf(user),
          after: request.auditedChange ?? null,
        });
        if (attempt.status === 'rejected') throw attempt.reason;
        return attempt.value;
      };
    });
  },
);
