import { createHash, randomBytes } from 'node:crypto';
import type { Collection, ObjectId } from 'mongodb';
import { LIFETIME, type SessionClaims } from './tokens.ts';
import type { User } from './users.ts';

/** What a token says of the session that it belongs to. */
export interface Session {
  /** The `sid`; of a token without one, a digest of that very token. */
  id: string;
  /** Whether the token itself names the session, so that later tokens can name it too. */
  hasId: boolean;
  /** Unix milliseconds. */
  beganAt: number;
}

/** Sessions remembered as ended, a user; one more ends them all, so that the record stays small. */
const MAX_ENDED = 1_000;

/** A UUIDv7 (RFC 9562 §5.7): it sorts by, and tells, the moment at which the session began. */
export function newSessionId(now: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Whether a text is such an id; of any other nobody could tell when its session began, nor end it. */
export const isSessionId = (sid: unknown): sid is string =>
  typeof sid === 'string' &&
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(sid);

/** The session of a verified token. One without a `sid` counts as issued an hour before it expires. */
export function sessionOf(token: string, sid: string | undefined, { exp }: SessionClaims): Session {
  if (sid) return { id: sid, hasId: true, beganAt: Number.parseInt(sid.replace('-', '').slice(0, 12), 16) };
  const id = createHash('sha256').update(token).digest('base64url');
  return { id, hasId: false, beganAt: (exp - LIFETIME.catalogue) * 1000 };
}

/** Whether a session was ended by a logout, or by something that ended every session of its user. */
export function hasEnded(
  { sessions_valid_from, ended_sessions = [] }: Pick<User, 'sessions_valid_from' | 'ended_sessions'>,
  { id, beganAt }: Session,
): boolean {
  return (
    (sessions_valid_from !== undefined && beganAt <= sessions_valid_from.getTime()) ||
    ended_sessions.some((ended) => ended.id === id)
  );
}

/**
 * Ends one session for good, in one write.
 * @param until when the last token that the session can have expires; Unix milliseconds.
 */
export async function endSession(
  users: Collection<User>,
  _id: ObjectId,
  { id }: Session,
  until: number,
  now: number,
): Promise<void> {
  const others = {
    $filter: {
      input: { $ifNull: ['$ended_sessions', []] },
      cond: { $and: [{ $gt: ['$$this.until', new Date(now)] }, { $ne: ['$$this.id', id] }] },
    },
  };
  const ended = { $concatArrays: [others, [{ id, until: new Date(until) }]] };
  const tooMany = { $gt: [{ $size: '$ended_sessions' }, MAX_ENDED] };
  await users.updateOne({ _id }, [
    { $set: { ended_sessions: ended } },
    {
      $set: {
        sessions_valid_from: {
          $cond: [tooMany, { $max: ['$sessions_valid_from', new Date(now)] }, '$sessions_valid_from'],
        },
        ended_sessions: { $cond: [tooMany, [], '$ended_sessions'] },
      },
    },
  ]);
}
