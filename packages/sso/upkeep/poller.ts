import { bounded } from '@gatehouse/shared/data/bounded';
import { LeaseLost } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import type { WithId } from 'mongodb';
import type { SsoOptions } from '../dependencies.ts';
import type { SamlConnection } from '../saml/service-provider.ts';
import { claim, createUpkeepLease, type UpkeepLeaseHolder } from './lease.ts';
import { notifyOwners } from './notify-owners.ts';
import { readMetadata } from './read-metadata.ts';

/** Milliseconds until a connection is due again: after a run, and after one that failed. */
const AGAIN = { done: 86_400_000, failed: 3_600_000 };

type UpkeepOptions = Pick<SsoOptions, 'db' | 'now' | 'outbound' | 'host'>;

/**
 * Looks after SAML connections once a day, each in one process: reads metadata again, and tells Owners of certificates
 * that expire. A run that is killed keeps its lease until it expires; then any process does it again.
 */
export function createUpkeep(options: UpkeepOptions & { log: FastifyBaseLogger; interval: number }): Poller {
  return createPoller({
    interval: options.interval,
    run: (isStopping) => runUpkeep({ ...options, isStopping }),
    log: options.log,
    failure: 'cannot look after SAML connections',
  });
}

/** Looks after every connection that is due. */
export async function runUpkeep(
  options: UpkeepOptions & { log: FastifyBaseLogger; isStopping?: () => boolean },
): Promise<void> {
  const { now, log, isStopping = () => false } = options;
  const holder = { ...options, isStopping, lease: createUpkeepLease(options.db, now) };
  while (!isStopping()) {
    const connection = await claim(holder);
    if (!connection) return;
    const { connection_id } = connection;
    try {
      const isDone = await lookAfter(holder, connection);
      const again = new Date(now() + (isDone ? AGAIN.done : AGAIN.failed));
      await bounded(holder.lease.release(connection._id, again));
    } catch (error) {
      // The lease expires, and the connection is due again.
      if (!(error instanceof LeaseLost))
        log.warn({ err: error, connection_id }, 'upkeep of a connection failed');
    }
  }
}

async function lookAfter(
  holder: UpkeepOptions & UpkeepLeaseHolder & { log: FastifyBaseLogger; isStopping: () => boolean },
  connection: WithId<SamlConnection>,
): Promise<boolean> {
  const { connection_id, saml } = connection;
  const current = await readMetadata(holder, connection).catch((error: Error) => {
    holder.log.warn(
      { err: error, connection_id, metadata_url: saml.metadata_url },
      'metadata of a provider cannot be read again: its certificates stay',
    );
    return undefined;
  });
  const isTold = await notifyOwners(holder, { ...connection, ...current });
  return isTold && current !== undefined;
}
