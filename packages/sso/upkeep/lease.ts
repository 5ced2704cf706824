import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease, type Lease } from '@gatehouse/shared/durable/lease';
import type { WithId } from 'mongodb';
import type { Connection } from '../connection-records.ts';
import type { Database } from '../database.ts';
import { asSaml } from '../saml/contract.ts';
import type { SamlConnection } from '../saml/service-provider.ts';

/** Milliseconds until another process takes up the work of one that was killed. */
const LEASE = 120_000;

/** A run that holds connections, each for a time. */
export interface UpkeepLeaseHolder {
  db: Database;
  now: () => number;
  lease: Lease<Connection>;
}

export const createUpkeepLease = (db: Database, now: () => number): Lease<Connection> =>
  createLease({
    collection: db.ssoConnections,
    due: 'upkeep.due_at',
    holder: 'upkeep.lease',
    duration: LEASE,
    now,
  });

/** Claims the SAML connection that has been due for longest; undefined when none is due. */
export async function claim({ lease, now }: UpkeepLeaseHolder): Promise<WithId<SamlConnection> | undefined> {
  const claimed = await bounded(
    // Also those that were stored without a time.
    lease.claim({ protocol: 'saml', enabled: true, 'upkeep.due_at': { $not: { $gt: new Date(now()) } } }),
  );
  return claimed ? { ...asSaml(claimed), _id: claimed._id } : undefined;
}
