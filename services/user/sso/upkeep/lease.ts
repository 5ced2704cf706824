import type { WithId } from 'mongodb';
import type { Database } from '../../database.ts';
import { bounded } from '../../database-timeout.ts';
import { asSaml } from '../saml/contract.ts';
import type { SamlConnection } from '../saml/service-provider.ts';

/** Milliseconds until another process takes up the work of one that was killed. */
const LEASE = 120_000;

/** Another process has taken the connection up, or it was disabled or deleted. */
export class LeaseLost extends Error {}

/** A run that holds connections, each for a time. Every function is one atomic write with its precondition. */
export interface LeaseHolder {
  db: Database;
  now: () => number;
  /** Names the run in the leases that it holds. */
  id: string;
}

const leaseEnd = (now: number) => new Date(now + LEASE);

/** Claims the SAML connection that has been due for longest; undefined when none is due. */
export async function claim({ db, now, id }: LeaseHolder): Promise<WithId<SamlConnection> | undefined> {
  const claimed = await bounded(
    db.ssoConnections.findOneAndUpdate(
      // Also those that were stored without a time.
      { protocol: 'saml', enabled: true, 'upkeep.due_at': { $not: { $gt: new Date(now()) } } },
      { $set: { 'upkeep.due_at': leaseEnd(now()), 'upkeep.lease': id } },
      { sort: { 'upkeep.due_at': 1 }, returnDocument: 'after' },
    ),
  );
  return claimed ? { ...asSaml(claimed), _id: claimed._id } : undefined;
}

/** @throws {LeaseLost} */
export async function renew({ db, now, id }: LeaseHolder, connection_id: string): Promise<void> {
  const { matchedCount } = await bounded(
    db.ssoConnections.updateOne(
      { connection_id, enabled: true, 'upkeep.lease': id },
      { $set: { 'upkeep.due_at': leaseEnd(now()) } },
    ),
  );
  if (matchedCount === 0) throw new LeaseLost();
}

/** Leaves a connection alone until `due_at`. */
export const release = ({ db, id }: LeaseHolder, connection_id: string, due_at: Date) =>
  bounded(
    db.ssoConnections.updateOne(
      { connection_id, 'upkeep.lease': id },
      { $set: { 'upkeep.due_at': due_at }, $unset: { 'upkeep.lease': true } },
    ),
  );
