import type { FastifyRequest } from 'fastify';
import { type Collections, collection } from '../data/connect.ts';
import { emailKey } from './email.ts';

/** One thing that happened to an account and that its owner or an operator may ask about. */
export interface AuditEvent {
  at: Date;
  action: 'login';
  outcome: string;
  email: string;
  user_id: string | null;
  request_id: string;
  address: string;
}

type Said = Pick<AuditEvent, 'action' | 'outcome' | 'email' | 'user_id'>;

/** Days for which an audit event is kept. */
const KEPT_DAYS = 400;

export const auditCollections = {
  auditEvents: collection<AuditEvent>('audit_events', [
    { key: { email: 1, at: -1 } },
    { key: { user_id: 1, at: -1 } },
    { key: { at: 1 }, expireAfterSeconds: KEPT_DAYS * 86_400 },
  ]),
};

/** Logs and records an event. A record that cannot be written is logged and holds up nobody. */
export async function audit(
  db: Collections<typeof auditCollections>,
  request: FastifyRequest,
  now: number,
  said: Said,
): Promise<void> {
  const email = emailKey(said.email);
  request.log.info({ ...said, email }, `${said.action}: ${said.outcome}`);
  try {
    await db.auditEvents.insertOne({
      ...said,
      email,
      at: new Date(now),
      request_id: request.id,
      address: request.ip,
    });
  } catch (error) {
    request.log.error({ err: error }, 'audit event not recorded');
  }
}
