import type { Collection, Filter, MatchKeysAndValues, UpdateFilter, WithId } from 'mongodb';
import type { Closing } from '../organizations/records.ts';
import { LeaseLost } from './job.ts';

/** Holds the leases of archived places whose job is due. Every function is one atomic write with its precondition. */
export interface LeaseHolder {
  /** Names the run in the leases that it holds. */
  id: string;
  now: () => number;
  /** Milliseconds until another process may claim a place whose lease is not renewed. */
  leaseDuration: number;
  isStopping: () => boolean;
}

/**
 * Claims the place that has been due for longest; null when none is due. A place whose time is over is marked in the
 * same write: from then on nobody has a role there and nothing restores it.
 */
export async function claim<Place extends Closing>(
  holder: LeaseHolder,
  places: Collection<Place>,
): Promise<WithId<Place> | null> {
  const { id, now } = holder;
  const at = new Date(now());
  const mark = (over: boolean) =>
    places.findOneAndUpdate(
      {
        due_at: { $lte: at },
        deletes_at: over ? { $lte: at.toISOString() } : { $gt: at.toISOString() },
      } as Filter<Place>,
      {
        $set: {
          due_at: leaseEnd(holder),
          lease: id,
          ...(over && { deleting: true }),
        } as MatchKeysAndValues<Place>,
      },
      { sort: { due_at: 1 }, returnDocument: 'after' },
    );
  return (await mark(true)) ?? (await mark(false));
}

/** @throws {LeaseLost} if the place was restored, another process has claimed it, or the service stops. */
export async function renew<Place extends Closing>(
  holder: LeaseHolder,
  places: Collection<Place>,
  { _id }: WithId<Place>,
): Promise<void> {
  if (holder.isStopping()) throw new LeaseLost();
  const renewed = { $set: { due_at: leaseEnd(holder) } } as UpdateFilter<Place>;
  const { matchedCount } = await places.updateOne({ _id, lease: holder.id } as Filter<Place>, renewed);
  if (matchedCount === 0) throw new LeaseLost();
}

/** Releases a lease until `due_at`. */
export async function release<Place extends Closing>(
  { id }: LeaseHolder,
  places: Collection<Place>,
  { _id }: WithId<Place>,
  due_at: Date,
): Promise<void> {
  const released = { $set: { due_at }, $unset: { lease: true } } as unknown as UpdateFilter<Place>;
  await places.updateOne({ _id, lease: id } as Filter<Place>, released);
}

const leaseEnd = ({ now, leaseDuration }: LeaseHolder) => new Date(now() + leaseDuration);
