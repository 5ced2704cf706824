import { includesSso, planStages, requiresSso, type SsoPlan, USABLE } from '@gatehouse/shared/identity/sso';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { WithId } from 'mongodb';
import type { Database } from '../database.ts';

/**
 * Whether a person can log in by single sign-on of an organization, so that the last other way in may be removed. Where
 * single sign-on is required, the others open nothing anyway.
 * @param now Unix milliseconds.
 */
export async function canUseSso(db: Database, user: WithId<User>, now: number): Promise<boolean> {
  if (await requiresSso(db, user, now)) return true;
  const linked = await db.ssoIdentities.distinct('connection_id', { user_id: user.user_id ?? '' });
  if (linked.length === 0) return false;
  const usable = await db.ssoConnections
    .aggregate<SsoPlan>([{ $match: { connection_id: { $in: linked }, ...USABLE } }, ...planStages(now)])
    .toArray();
  return usable.some(includesSso);
}
