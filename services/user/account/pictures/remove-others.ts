import type { Database } from '../../database.ts';

/** Milliseconds after which no call can still be about to name a picture that it has stored. */
const ABANDONED = 600_000;

/** Removes the picture that another one has replaced, and what calls that were cut off have left. */
export async function removeOthers(
  db: Database,
  { user_id, current, replaced }: { user_id: string; current?: string; replaced: string | undefined },
  now: number,
): Promise<void> {
  await db.pictures.deleteMany({
    user_id,
    _id: { $ne: current ?? '' },
    $or: [{ _id: replaced ?? '' }, { created_at: { $lt: new Date(now - ABANDONED) } }],
  });
}
