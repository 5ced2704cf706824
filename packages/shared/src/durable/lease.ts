import { randomUUIDv7 } from 'node:crypto';
import type { Collection, Document, Filter, ObjectId, UpdateFilter, WithId } from 'mongodb';

/** Another process holds the lease, or the work is gone. */
export class LeaseLost extends Error {}

type Id = ObjectId | string;

interface Options<Item extends Document> {
  collection: Collection<Item>;
  /** The path of the time at which somebody must look at a document. */
  due: string;
  /** The path of the id of who holds it. */
  holder: string;
  /** Milliseconds until another process may take over from one that was killed. */
  duration: number;
  /** Returns Unix milliseconds. */
  now: () => number;
}

/**
 * Lets one holder at a time work on a document. A claim moves `due` to the end of the lease and names the holder, in one
 * write. A kill before the claim leaves the document due; a kill while it is held makes it due again when the lease ends,
 * and then any process continues; a kill before the release repeats the work, which must be idempotent. A holder that is
 * too slow learns it from `renew`, or puts `held` into the filter of its own write.
 */
export function createLease<Item extends Document>({
  collection,
  due,
  holder,
  duration,
  now,
}: Options<Item>) {
  const id = randomUUIDv7();
  const end = () => ({ [due]: new Date(now() + duration) });
  const held = (_id: Id): Filter<Item> => ({ _id, [holder]: id }) as unknown as Filter<Item>;
  const write = async (_id: Id, update: Document, filter: Document = {}): Promise<boolean> => {
    const own = { ...held(_id), ...filter } as Filter<Item>;
    const { matchedCount } = await collection.updateOne(own, update as UpdateFilter<Item>);
    return matchedCount === 1;
  };
  return {
    /** Names this holder. */
    id,
    /** Matches a document while it is held. */
    held,
    /**
     * Claims the document that has been due for longest; null when none is due.
     * @param filter which may be claimed.
     * @param update what else the claim changes.
     */
    claim(filter: Document = {}, update: Document = {}): Promise<WithId<Item> | null> {
      return collection.findOneAndUpdate(
        { [due]: { $lte: new Date(now()) }, ...filter } as Filter<Item>,
        { ...update, $set: { ...update.$set, ...end(), [holder]: id } } as UpdateFilter<Item>,
        { sort: { [due]: 1 }, returnDocument: 'after' },
      );
    },
    /** Extends the lease. @returns false when it is lost. */
    renew: (_id: Id, update: Document = {}, filter: Document = {}): Promise<boolean> =>
      write(_id, { ...update, $set: { ...update.$set, ...end() } }, filter),
    /** Gives the document up until `at`. @returns false when the lease is lost. */
    release: (_id: Id, at: Date): Promise<boolean> =>
      write(_id, { $set: { [due]: at }, $unset: { [holder]: true } }),
  };
}

export type Lease<Item extends Document> = ReturnType<typeof createLease<Item>>;
