import type { ObjectId } from 'mongodb';
import { type Collections, collection, isDuplicateKey } from '../data/connect.ts';
import { type userCollections, VERIFIED } from './users.ts';

/** The plan that every account begins with (spec §User record, subscription_id). */
export const FREE_PLAN = { id: 'free', name: 'Free' } as const;

/** What a plan gives a user; made when the free plan is assigned. */
export interface Features {
  user_id: string;
  subscription_id: string;
  subscription_plan: string;
  assigned_at: string;
}

export const featureCollections = {
  features: collection<Features>('features', [{ key: { user_id: 1 }, unique: true }]),
};

type Database = Collections<typeof userCollections & typeof featureCollections>;

interface Owner {
  _id: ObjectId;
  user_id?: string;
  features_assigned?: boolean;
}

/**
 * Makes sure that an active user has his features record, exactly one. The mark on the user is written
 * last, so that whatever was cut off between activation and here is made up at the next call.
 */
export async function ensureFeatures(db: Database, user: Owner, now: number): Promise<void> {
  if (user.features_assigned || typeof user.user_id !== 'string') return;
  const features: Omit<Features, 'user_id'> = {
    subscription_id: FREE_PLAN.id,
    subscription_plan: FREE_PLAN.name,
    assigned_at: new Date(now).toISOString(),
  };
  try {
    await db.features.updateOne({ user_id: user.user_id }, { $setOnInsert: features }, { upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error; // another call has just made it
  }
  await db.users.updateOne({ _id: user._id }, { $set: { features_assigned: true } });
}

/** Makes up, at a start, what a kill left undone. */
export async function ensureAllFeatures(db: Database, now: number): Promise<void> {
  const users = db.users.find(
    { ...VERIFIED, features_assigned: { $exists: false } },
    { projection: { user_id: 1 } },
  );
  for await (const user of users) await ensureFeatures(db, user, now);
}
