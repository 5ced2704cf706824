import { randomUUID } from 'node:crypto';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { createPoller, type Poller } from '../../poller.ts';
import type { SsoOptions } from '../operation.ts';
import type { SamlConnection } from '../saml/service-provider.ts';
import { claim, LeaseLost, release } from './lease.ts';
import { readMetadata } from './read-metadata.ts';
import { tellOwners } from './tell-owners.ts';

/** Milliseconds between two looks for connections that are due. */
const INTERVAL = 60_000;
/** Milliseconds until a connection is due again: after a run, and after one that failed. */
const AGAIN = { done: 86_400_000, failed: 3_600_000 };
/** Milliseconds that a run may take when the service stops. */
const GRACE = 3_000;

type UpkeepOptions = Pick<SsoOptions, 'db' | 'now' | 'outbound' | 'mailer'>;

/**
 * Looks after SAML connections once a day, each in one process: reads metadata again, and tells Owners of certificates
 * that expire. A run that is killed keeps its lease until it expires; then any process does it again.
 */
export function startUpkeep(app: FastifyInstance, options: UpkeepOptions): void {
  const poller: Poller = createPoller({
    interval: INTERVAL,
    run: () => runUpkeep({ ...options, log: app.log, isStopping: () => poller.stopping }),
    log: app.log,
    failure: 'cannot look after SAML connections',
  });
  app.addHook('onReady', async () => poller.start());
  app.addHook('onClose', async () => {
    await withTimeout(poller.stop(), GRACE, new Error('grace period over')).catch(() => {});
  });
}

/** Looks after every connection that is due. */
export async function runUpkeep(
  options: UpkeepOptions & { log: FastifyBaseLogger; isStopping?: () => boolean },
): Promise<void> {
  const { now, log, isStopping = () => false } = options;
  const holder = { ...options, id: randomUUID() };
  while (!isStopping()) {
    const connection = await claim(holder);
    if (!connection) return;
    const { connection_id } = connection;
    try {
      const isDone = await lookAfter(holder, connection);
      await release(holder, connection_id, new Date(now() + (isDone ? AGAIN.done : AGAIN.failed)));
    } catch (error) {
      // The lease expires, and the connection is due again.
      if (!(error instanceof LeaseLost))
        log.warn({ err: error, connection_id }, 'upkeep of a connection failed');
    }
  }
}

async function lookAfter(
  holder: UpkeepOptions & { log: FastifyBaseLogger; id: string },
  connection: SamlConnection,
): Promise<boolean> {
  const { connection_id, saml } = connection;
  const current = await readMetadata(holder, connection).catch((error: Error) => {
    holder.log.warn(
      { err: error, connection_id, metadata_url: saml.metadata_url },
      'metadata of a provider cannot be read again: its certificates stay',
    );
    return undefined;
  });
  const isTold = await tellOwners(holder, current ?? connection);
  return isTold && current !== undefined;
}
