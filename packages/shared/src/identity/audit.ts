import { randomUUIDv7 } from 'node:crypto';
import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import type { ObjectId } from 'mongodb';
import { duplicatePositions, redactBulkError } from '../data/bulk-errors.ts';
import { ANY_STRING, type Collections, collection } from '../data/connect.ts';
import { withTimeout } from '../with-timeout.ts';
import { type AuditAction, RELAYED_ACTIONS } from './audit-actions.ts';
import { newSalts, type Salts } from './audit-chain/commitments.ts';
import { emailKey } from './email.ts';
import { userIdOf } from './users.ts';
import './principal.ts';

const RELAYED: ReadonlySet<AuditAction> = new Set(RELAYED_ACTIONS);

/** The changed fields. Never a password, code, token or secret. */
type Fields = Record<string, string | string[] | null>;

/** An action with its actor, its target and its outcome. */
export interface AuditEvent {
  event_id: string;
  at: Date;
  action: AuditAction;
  /** `success`, or why the attempt was refused. */
  outcome: string;
  /** The account that acted, or that a call without a bearer names; null for a service of the platform. */
  user_id: string | null;
  /** Its address in lower case; null for a service account too. */
  email: string | null;
  /** The machine key with which the account acted. */
  key_id?: string;
  target: AuditTarget;
  before: Fields | null;
  after: Fields | null;
  organization_id: string | null;
  department_id: string | null;
  /** The address of the client; null for a job of the service. */
  address: string | null;
  /** The id of the request, or of the job. */
  request_id: string;
  /** The user_id of the operator who acted as the account, in a support session. */
  operator?: string;
  /** The session that the action began or extended. Only the account itself may see it. */
  session?: AuditedSession;
  /** Set until the event has been relayed to webhooks. */
  relay?: true;
  /** Set until the chain has a link for the event. */
  unlinked?: true;
  /** For the digests of personal fields in the chain. A salt goes when its fields are erased. */
  salts?: Salts;
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
export interface AuditTarget {
  user_id?: string;
  email?: string;
  chatbot_id?: string;
  invitation_id?: string;
  webhook_id?: string;
  session_id?: string;
  connection_id?: string;
  domain_id?: string;
  export_id?: string;
  key_id?: string;
  service_account_id?: string;
}

/** The account defaults to the principal. */
export type Details = Pick<AuditEvent, 'action'> &
  Partial<Omit<AuditEvent, 'event_id' | 'at' | 'action' | 'address' | 'request_id'>>;

/** Characters of a `User-Agent` header that are kept. */
const MAX_DEVICE = 300;

const RETENTION_DAYS = 400;
const BY_TIME = { at: 1, event_id: 1 } as const;
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
    // The events that name an address, which are erased with its account.
    { key: { 'target.email': 1 }, partialFilterExpression: { 'target.email': ANY_STRING } },
    {
      key: { organization_id: 1, at: 1, event_id: 1 },
      partialFilterExpression: { organization_id: ANY_STRING },
    },
    // The events that have not been relayed yet, oldest first.
    { key: { relay: 1, event_id: 1 }, partialFilterExpression: { relay: true } },
    // The events that are not in the chain yet, oldest first.
    { key: { unlinked: 1, event_id: 1 }, partialFilterExpression: { unlinked: true } },
    // Exports and reports of a department.
    {
      key: { department_id: 1, at: 1, event_id: 1 },
      partialFilterExpression: { department_id: ANY_STRING },
    },
    { key: { at: 1 }, expireAfterSeconds: RETENTION_DAYS * 86_400 },
    // What operators look for, newest first.
    { key: BY_TIME },
    { key: { action: 1, ...BY_TIME } },
    { key: { address: 1, ...BY_TIME }, partialFilterExpression: { address: ANY_STRING } },
    { key: { request_id: 1 } },
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

/**
 * Logs and stores the events of several actions like `audit`, with one write.
 * @param isStored decides whether they are stored or only logged.
 */
export async function auditAll(
  db: Collections<typeof auditCollections>,
  request: FastifyRequest,
  now: number,
  actions: readonly Details[],
  isStored = async () => true,
): Promise<void> {
  const declared = request.routeOptions?.config?.operation?.audits;
  for (const { action } of actions)
    if (declared && !declared.includes(action))
      request.log.error({ action }, 'the operation does not declare this audit action');
  const events = actions.map((details) => eventOf(request, now, details));
  for (const event of events) logEvent(request.log, event);
  const [first] = events;
  if (!first) return;
  const store = async () => {
    if (!(await isStored())) return;
    if (events.length === 1) await db.auditEvents.insertOne(toLink(first));
    else await db.auditEvents.insertMany(events.map(toLink)).catch(redactBulkError);
  };
  const stored = store().catch((error: unknown) => {
    for (const { event_id } of events)
      request.log.error({ err: error, event_id }, 'audit event not recorded');
  });
  await withTimeout(stored, STORE_TIMEOUT, () => new Error('timed out')).catch(() => {}); // the write continues
}

/** A job that acts without a request, such as a deletion that has become due. */
export interface AuditedJob {
  /** Names the job in its events, in place of a request. */
  id: string;
  log: FastifyBaseLogger;
}

/** The id of the event is derived, see `derivedId`: a job that is repeated stores the same event. */
type JobDetails = Details & Pick<AuditEvent, 'event_id'>;

/**
 * Logs and stores the events of a job. Events that are stored already are left as they are.
 * @throws when an event cannot be stored; the job must be repeated.
 */
export async function auditJob(
  db: Collections<typeof auditCollections>,
  { id, log }: AuditedJob,
  now: number,
  actions: readonly JobDetails[],
): Promise<void> {
  if (actions.length === 0) return;
  const events = actions.map((details) => eventOf({ id, ip: null }, now, details));
  const stored = events.map((event) => ({ ...toLink(event), _id: event.event_id as unknown as ObjectId }));
  await db.auditEvents.insertMany(stored, { ordered: false }).catch(duplicatePositions);
  for (const event of events) logEvent(log, event);
}

/** Where an action comes from. */
type Source = Pick<FastifyRequest, 'id'> & Partial<Pick<FastifyRequest, 'principal'>> & { ip: string | null };

function eventOf(
  { id, ip, principal }: Source,
  now: number,
  details: Details & Partial<Pick<AuditEvent, 'event_id'>>,
): AuditEvent {
  const account = principal?.user;
  const { operator } = principal?.session.support ?? {};
  const { email = account?.email || null, user_id = account ? userIdOf(account) : null } = details;
  const { action, outcome = 'success' } = details;
  return {
    event_id: orderedUuid(),
    at: new Date(now),
    outcome,
    target: {},
    before: null,
    after: null,
    organization_id: null,
    department_id: null,
    ...details,
    email: email && emailKey(email),
    user_id,
    ...(principal?.key && { key_id: principal.key._id }),
    address: ip,
    request_id: id,
    ...(operator !== undefined && { operator }),
    // Refused attempts cost nothing here.
    ...(outcome === 'success' && RELAYED.has(action) && { relay: true as const }),
  };
}

/** The event as it is stored: the user service links it to the chain later, so that nobody waits for that. */
const toLink = (event: AuditEvent): AuditEvent => ({ ...event, unlinked: true, salts: newSalts(event) });

function logEvent(log: FastifyBaseLogger, event: AuditEvent): void {
  // What changed and the device are personal data: they are stored, not logged.
  const { at: _, request_id: __, before: ___, after: ____, session: _____, relay: ______, ...logged } = event;
  log.info(logged, `${event.action}: ${event.outcome}`);
}

const latest = { time: 0, counter: 0 };

/**
 * Returns a UUIDv7 that sorts after every earlier one of this process, also within a millisecond (RFC 9562 §6.2,
 * method 1). Those of node:crypto are in random order there.
 */
export function orderedUuid(): string {
  const now = Date.now();
  if (now > latest.time) Object.assign(latest, { time: now, counter: 0 });
  else if (latest.counter < 0xfff) latest.counter += 1;
  else Object.assign(latest, { time: latest.time + 1, counter: 0 });
  const time = latest.time.toString(16).padStart(12, '0');
  const counter = latest.counter.toString(16).padStart(3, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}${randomUUIDv7().slice(18)}`;
}
