import { type AuditEvent, type AuditedSession, deviceOf } from '@gatehouse/shared/identity/audit';
import { principalOf } from '@gatehouse/shared/identity/principal';
import { hasEnded, type Session } from '@gatehouse/shared/identity/sessions';
import { LIFETIME, SUPPORT_LIFETIME, startOf } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { FastifyRequest } from 'fastify';
import type { Filter } from 'mongodb';
import type { Database } from '../database.ts';

/** A session of the caller that has a valid token. */
export interface LiveSession {
  session: Session;
  /** What the person calls the device. */
  name: string | null;
  /** The beginning of the `User-Agent` header. */
  device: string;
  address: string;
  lastUsedAt: Date;
  isCurrent: boolean;
}

/** Milliseconds for which a support session lasts at most. */
const SUPPORT_WINDOW = SUPPORT_LIFETIME * 1000;

/** Events that are read; more of them in an hour are a program, not a person. */
const MAX_EVENTS = 1_000;
/** A token lives for an hour, that of a single sign-on from up to a minute after its event. */
const WINDOW = (LIFETIME.catalogue + 60) * 1000;

/**
 * Returns the caller's sessions that can still be used: the current one, and those whose latest login or refresh
 * issued a token that has not expired, with those of operators. Nothing is written for this at a login; the audit has it already.
 * @param id only this session.
 */
export async function liveSessions(
  { auditEvents, supportSessions }: Pick<Database, 'auditEvents' | 'supportSessions'>,
  request: FastifyRequest,
  user_id: string,
  now: number,
  id?: string,
): Promise<LiveSession[]> {
  const { user, session: current } = principalOf(request);
  const others = await usableSessions({ auditEvents, supportSessions }, user, user_id, now, id);
  if (id !== undefined && id !== current.id) return others;
  const here = { device: deviceOf(request), address: request.ip, lastUsedAt: new Date(now) };
  return [
    { session: current, name: nameOf(user, current.id), ...here, isCurrent: true },
    ...others.filter(({ session }) => session.id !== current.id),
  ];
}

const nameOf = ({ session_names }: User, id: string): string | null =>
  session_names?.find((named) => named.id === id)?.name ?? null;

/** Returns the sessions of a person that can still be used. */
export async function usableSessions(
  { auditEvents, supportSessions }: Pick<Database, 'auditEvents' | 'supportSessions'>,
  user: User,
  user_id: string,
  now: number,
  id?: string,
): Promise<LiveSession[]> {
  const filter: Filter<AuditEvent> = {
    user_id,
    at: { $gt: new Date(now - WINDOW) },
    'session.expires_at': { $gt: new Date(now) },
    ...(id !== undefined && { 'session.id': id }),
  };
  const [events, supports] = await Promise.all([
    auditEvents
      .find(filter, { sort: { at: -1, event_id: -1 }, limit: MAX_EVENTS })
      .project<{ at: Date; address: string; session: AuditedSession }>({ at: 1, address: 1, session: 1 })
      .toArray(),
    supportSessions
      .find({
        person_id: user_id,
        began_at: { $gt: new Date(now - SUPPORT_WINDOW) },
        expires_at: { $gt: new Date(now) },
        ...(id !== undefined && { session_id: id }),
      })
      .toArray(),
  ]);
  const sessions = new Map<string, LiveSession>();
  for (const { at, address, session } of events) {
    const { id, device } = session;
    const known = { id, hasId: true, beganAt: startOf(id) };
    if (sessions.has(id) || hasEnded(user, known)) continue;
    sessions.set(id, {
      session: known,
      name: nameOf(user, id),
      device,
      address,
      lastUsedAt: at,
      isCurrent: false,
    });
  }
  for (const { session_id, mode, operator, began_at } of supports) {
    const support = { mode, operator };
    const known = { id: session_id, hasId: true, beganAt: began_at.getTime(), support };
    if (sessions.has(session_id) || hasEnded(user, known)) continue;
    // Where the operator is, and with which device, is not for the person.
    const hidden = { name: nameOf(user, session_id), device: '', address: '' };
    sessions.set(session_id, { session: known, ...hidden, lastUsedAt: began_at, isCurrent: false });
  }
  return [...sessions.values()];
}
