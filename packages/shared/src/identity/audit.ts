import type { FastifyRequest } from 'fastify';
import { type Collections, collection } from '../data/connect.ts';
import { emailKey } from './email.ts';

/** A security event of an account. */
export interface AuditEvent {
  at: Date;
  action: 'login';
  outcome: string;
  email: string;
  user_id: string | null;
  request_id: string;
  address: string;
}

type Details = Pick<AuditEvent, 'action' | 'outcome' | 'email' | 'user_id'>;

const RETENTION_DAYS = 400;

export const auditCollections = {
  auditEvents: collection<AuditEvent>('audit_events', [
    { key: { email: 1, at: -1 } },
    { key: { user_id: 1, at: -1 } },
    { key: { at: 1 }, expireAfterSeconds: RETENTION_DAYS * 86_400 },
  ]),
};

/** Logs and stores an event. A failure to store it is logged and does not fail the request. */
export async function audit(
  db: Collections<typeof auditCollections>,
  request: FastifyRequest,
  now: number,
  details: Details,
): Promise<void> {
  const email = emailKey(details.email);
  request.log.info({ ...details, email }, `${details.action}: ${details.outcome}`);
  try {
    await db.auditEvents.insertOne({
      ...details,
      email,
      at: new Date(now),
      request_id: request.id,
      address: request.ip,
    });
  } catch (error) {
    request.log.error({ err: error }, 'audit event not recorded');
  }
}
