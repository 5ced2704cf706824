import type { ErrorName } from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import type { AuditAction } from '@gatehouse/shared/identity/audit-actions';
import { auditRefusal } from '@gatehouse/shared/identity/audit-refusal';
import { maskUnlessAddress } from '@gatehouse/shared/identity/email';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../database.ts';

/** What is audited of the failures with which the gateway itself refuses an attempt. */
const OUTCOMES: Partial<Record<ErrorName, string>> = {
  captchaFailed: 'CAPTCHA failed',
  rateLimited: 'throttled',
};

interface Attempt {
  action: AuditAction;
  /** As typed; null for a name at a directory. */
  email: string | null;
}

/** Audits an attempt that the CAPTCHA or a throttle refuses (CONTRACT.md §Audit). The services audit all others. */
export const createAuditRefusals =
  (db: Database, now: () => number) =>
  async <T>(request: FastifyRequest, { action, email }: Attempt, make: () => Promise<T>): Promise<T> => {
    try {
      return await make();
    } catch (error) {
      const outcome = OUTCOMES[toAppError(error).reason];
      // The answer does not wait: a throttle refuses just as fast while the database is down.
      if (outcome)
        void auditRefusal(db, request, now(), {
          action,
          outcome,
          email: email && maskUnlessAddress(email.trim()),
          user_id: null,
        });
      throw error;
    }
  };
