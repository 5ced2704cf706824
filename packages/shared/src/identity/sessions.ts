import { createHash } from 'node:crypto';
import type { Collection, Filter, ObjectId } from 'mongodb';
import { LIFETIME, type SessionClaims, type SupportSession, startOf } from './tokens.ts';
import type { User } from './user-record.ts';

/** The session that a token belongs to. */
export interface Session {
  /** The `sid` or, for a token without one, a digest of the token. */
  id: string;
  /** Whether the token has a `sid`, so that later tokens can continue the session. */
  hasId: boolean;
  /** Unix milliseconds. */
  beganAt: number;
  /** Whether it began at an identity provider, as its token says. */
  sso?: true;
  /** Set if an operator is in the account of the person. */
  support?: SupportSession;
  /** Whether the person has presented a second factor or a passkey in it, as its token says. */
  mfa?: true;
}

/** Maximum number of ended sessions on a user record. One more ends all sessions, so the record stays small. */
const MAX_ENDED = 1_000;

/** Returns the session of a verified token. A token without `sid` counts as issued an hour before it expires. */
export function sessionOf(token: string, sid: string | undefined, { exp }: SessionClaims): Session {
  if (sid) return { id: sid, hasId: true, beganAt: startOf(sid) };
  const id = createHash('sha256').update(token).digest('base64url');
  return { id, hasId: false, beganAt: (exp - LIFETIME.catalogue) * 1000 };
}

/** Returns whether a session has ended: alone, with all others of the user but one, or with all of them. */
export function hasEnded(
  {
    sessions_valid_from,
    others_ended,
    ended_sessions = [],
  }: Pick<User, 'sessions_valid_from' | 'others_ended' | 'ended_sessions'>,
  { id, beganAt }: Pick<Session, 'id' | 'beganAt'>,
): boolean {
  return (
    (sessions_valid_from !== undefined && beganAt <= sessions_valid_from.getTime()) ||
    (others_ended !== undefined && beganAt <= others_ended.at.getTime() && id !== others_ended.kept) ||
    ended_sessions.some((ended) => ended.id === id)
  );
}

/**
 * Returns when the last possible token of a session expires, in Unix milliseconds.
 * @param expiresAt when the token at hand expires; a session without an id has no other.
 * @param maxAge milliseconds. It may have been lowered since the session was refreshed.
 */
export const lastExpiry = (
  { hasId, beganAt }: Session,
  { expiresAt, maxAge, now }: { expiresAt: number; maxAge: number; now: number },
): number => (hasId ? Math.max(beganAt + maxAge, now + LIFETIME.catalogue * 1000) : expiresAt);

/**
 * Ends one session in a single write.
 * @param until when the last possible token of the session expires, in Unix milliseconds.
 */
export async function endSession(
  users: Collection<User>,
  _id: ObjectId,
  { id }: Pick<Session, 'id'>,
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

/** Matches the account of a session that has not ended. */
export const isLive = ({ id, beganAt }: Pick<Session, 'id' | 'beganAt'>): Filter<User> => ({
  $and: [
    {
      $or: [{ sessions_valid_from: { $exists: false } }, { sessions_valid_from: { $lt: new Date(beganAt) } }],
    },
    {
      $or: [
        { others_ended: { $exists: false } },
        { 'others_ended.at': { $lt: new Date(beganAt) } },
        { 'others_ended.kept': id },
      ],
    },
    { 'ended_sessions.id': { $ne: id } },
  ],
});

/** The parts of a write that end every session but one, also those that nothing lists. */
export const endingOthers = ({ id }: Pick<Session, 'id'>, now: number) => ({
  $set: { 'others_ended.kept': id },
  $max: { 'others_ended.at': new Date(now) },
});

/**
 * Ends every session of a user but one in a single write.
 * @returns false if the session to keep has ended itself: when two sessions end each other, only the first call succeeds.
 */
export async function endOtherSessions(
  users: Collection<User>,
  _id: ObjectId,
  session: Session,
  now: number,
): Promise<boolean> {
  const { matchedCount } = await users.updateOne({ _id, ...isLive(session) }, endingOthers(session, now));
  return matchedCount === 1;
}
