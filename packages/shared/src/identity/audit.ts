import { randomUUIDv7 } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ANY_STRING, type Collections, collection } from '../data/connect.ts';
import { withTimeout } from '../with-timeout.ts';
import { emailKey } from './email.ts';
import { userIdOf } from './users.ts';
import './principal.ts';

/** What is audited (CONTRACT.md §Audit). */
export const AUDIT_ACTIONS = [
  'signup',
  'verify',
  'forgot',
  'reset',
  'login',
  'refresh',
  'logout',
  'session.end',
  'session.end_others',
  'profile.update',
  'chatbot.create',
  'chatbot.update',
  'chatbot.delete',
  'chatbot.duplicate',
  'access.grant',
  'access.revoke',
  'organization.update',
  'owner.add',
  'owner.remove',
  'department.create',
  'department.update',
  'member.grant',
  'member.remove',
  'invitation.create',
  'invitation.accept',
  'invitation.decline',
  'invitation.withdraw',
  'invitation.resend',
  'billing.plan',
  'billing.payment',
  'webhook.create',
  'webhook.update',
  'webhook.rotate',
  'webhook.delete',
  'sso.login',
  'sso.logout',
  'sso.link',
  'connection.create',
  'connection.update',
  'connection.delete',
  'domain.add',
  'domain.verify',
  'domain.update',
  'domain.remove',
  'scim.user',
  'scim.group',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The changed fields. Never a password, code, token or secret. */
type Fields = Record<string, string | string[] | null>;

/** Who did what to whom, and what came of it. */
export interface AuditEvent {
  event_id: string;
  at: Date;
  action: AuditAction;
  /** `success`, or why the attempt was refused. */
  outcome: string;
  /** The account that acted, or that a call without a bearer names; null for a service of the platform. */
  user_id: string | null;
  /** Its address in lower case. */
  email: string | null;
  target: Target;
  before: Fields | null;
  after: Fields | null;
  organization_id: string | null;
  department_id: string | null;
  address: string;
  request_id: string;
  /** The session that the action began or extended. Only the account itself may see it. */
  session?: AuditedSession;
}

/** A session with the device that uses it. Its id is no credential: a session opens only with a signed token. */
export interface AuditedSession {
  id: string;
  /** The beginning of the `User-Agent` header. */
  device: string;
  /** When the token that was issued expires. */
  expires_at: Date;
}

/** Whom or what the action changed, apart from the account that acted. */
export interface Target {
  user_id?: string;
  email?: string;
  chatbot_id?: string;
  invitation_id?: string;
  webhook_id?: string;
  session_id?: string;
  connection_id?: string;
  domain_id?: string;
}

/** The account defaults to the principal. */
type Details = Pick<AuditEvent, 'action'> &
  Partial<Omit<AuditEvent, 'event_id' | 'at' | 'action' | 'address' | 'request_id'>>;

/** Characters of a `User-Agent` header that are kept. */
const MAX_DEVICE = 300;

const RETENTION_DAYS = 400;
/** Milliseconds for which a request waits until its event is stored. */
const STORE_TIMEOUT = 1_000;

export const auditCollections = {
  auditEvents: collection<AuditEvent>('audit_events', [
    { key: { user_id: 1, at: 1, event_id: 1 } },
    { key: { email: 1, at: 1, event_id: 1 } },
    {
      key: { 'target.user_id': 1, at: 1, event_id: 1 },
      partialFilterExpression: { 'target.user_id': ANY_STRING },
    },
    {
      key: { organization_id: 1, at: 1, event_id: 1 },
      partialFilterExpression: { organization_id: ANY_STRING },
    },
    { key: { at: 1 }, expireAfterSeconds: RETENTION_DAYS * 86_400 },
  ]),
};

export const deviceOf = ({ headers }: FastifyRequest): string =>
  (headers['user-agent'] ?? '').slice(0, MAX_DEVICE);

/** @param lifetime seconds for which the token is valid that begins or extends the session. */
export const auditedSession = (
  request: FastifyRequest,
  id: string,
  lifetime: number,
  now: number,
): AuditedSession => ({ id, device: deviceOf(request), expires_at: new Date(now + lifetime * 1000) });

/**
 * Logs and stores an event; call it after the action's own write. An event that cannot be stored is logged. It
 * neither fails the request nor holds it up for longer than a second.
 */
export const audit = (
  db: Collections<typeof auditCollections>,
  request: FastifyRequest,
  now: number,
  details: Details,
): Promise<void> => auditAll(db, request, now, [details]);

/** Logs and stores the events of several actions like `audit`, with one write. */
export async function auditAll(
  db: Collections<typeof auditCollections>,
  request: FastifyRequest,
  now: number,
  actions: readonly Details[],
): Promise<void> {
  const account = request.principal?.user;
  const events = actions.map((details): AuditEvent => {
    const { email = account?.email ?? null, user_id = account ? userIdOf(account) : null } = details;
    return {
      event_id: randomUUIDv7(),
      at: new Date(now),
      outcome: 'success',
      target: {},
      before: null,
      after: null,
      organization_id: null,
      department_id: null,
      ...details,
      email: email && emailKey(email),
      user_id,
      address: request.ip,
      request_id: request.id,
    };
  });
  for (const event of events) {
    // What changed and the device are personal data: they are stored, not logged.
    const { at: _, request_id: __, before: ___, after: ____, session: _____, ...logged } = event;
    request.log.info(logged, `${event.action}: ${event.outcome}`);
  }
  const [first] = events;
  if (!first) return;
  const storing: Promise<unknown> =
    events.length === 1 ? db.auditEvents.insertOne(first) : db.auditEvents.insertMany(events);
  const stored = storing.catch((error: unknown) => {
    for (const { event_id } of events)
      request.log.error({ err: error, event_id }, 'audit event not recorded');
  });
  await withTimeout(stored, STORE_TIMEOUT, new Error('timed out')).catch(() => {}); // the write goes on
}
