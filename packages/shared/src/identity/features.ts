import type { ObjectId } from 'mongodb';
import { type Collections, collection, isDuplicateKey } from '../data/connect.ts';
import { type userCollections, VERIFIED } from './users.ts';

/** The plan of a new account (CONTRACT.md §User record). */
const FREE_PLAN = { id: 'free', name: 'Free' } as const;

/** The dates and the plan of a new account. */
export function newAccountFields(created: Date) {
  const created_at = created.toISOString();
  const today = created_at.slice(0, 10);
  return {
    payment_status: 'pending' as const,
    'user_created_at(DATE)': today,
    created_at,
    address_since: created,
    subscription_id: FREE_PLAN.id,
    subscription_plan: FREE_PLAN.name,
    subscription_date: today,
  };
}

/** The features record of a user, created when the free plan is assigned. */
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
 * Ensures that an active user has exactly one features record. The flag on the user is written last, so the
 * next call completes an activation that was interrupted.
 */
export async function ensureFeatures(db: Database, user: Owner, now: number): Promise<void> {
  if (user.features_assigned || typeof user.user_id !== 'string') return;
  await createFeatures(db, user.user_id, now);
  await db.users.updateOne({ _id: user._id }, { $set: { features_assigned: true } });
}

/** The features record of the free plan. */
export const newFeatures = (user_id: string, now: number): Features => ({
  user_id,
  subscription_id: FREE_PLAN.id,
  subscription_plan: FREE_PLAN.name,
  assigned_at: new Date(now).toISOString(),
});

/** Creates the features record of the free plan, unless the user has a record. */
export async function createFeatures(db: Database, user_id: string, now: number): Promise<void> {
  try {
    await db.features.insertOne(newFeatures(user_id, now));
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** Completes activations that were interrupted before this start. */
export async function ensureAllFeatures(db: Database, now: number): Promise<void> {
  // The server closes a cursor whose batch takes longer than ten minutes.
  const users = db.users.find(
    { ...VERIFIED, features_assigned: { $exists: false } },
    { projection: { user_id: 1 }, batchSize: 500 },
  );
  for await (const user of users) await ensureFeatures(db, user, now);
}
