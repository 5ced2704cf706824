import type { FastifyRequest } from 'fastify';
import type { Database } from './database.ts';
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

/** Logs and records an event. A record that cannot be written is logged and holds up nobody. */
export async function audit(db: Database, request: FastifyRequest, now: number, said: Said): Promise<void> {
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
