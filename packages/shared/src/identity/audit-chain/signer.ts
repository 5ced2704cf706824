import type { FastifyBaseLogger } from 'fastify';
import { Counter, type Registry } from 'prom-client';
import { bounded } from '../../data/bounded.ts';
import type { Collections } from '../../data/connect.ts';
import { createLease } from '../../durable/lease.ts';
import { createPoller, type Poller } from '../../durable/poller.ts';
import { keyIdOf, signingKeyOf, verifyKeyOf } from './anchors.ts';
import type { AuditAnchor, chainCollections } from './records.ts';
import { signDays } from './sign-days.ts';

/** Milliseconds between two signatures: what is not signed yet could be linked anew. */
const INTERVAL = 60_000;
/** Milliseconds until another process continues for one that was killed. */
const LEASE = 120_000;
/** The only document of its kind. */
const WORK = { _id: 'sign' } as const;

interface Options {
  db: Pick<Collections<typeof chainCollections>, 'auditChain' | 'auditAnchors' | 'auditLeases'>;
  config: { AUDIT_SIGNING_KEY?: string | undefined; AUDIT_VERIFY_KEY?: string[] | undefined };
  now: () => number;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  metrics: Registry;
}

/**
 * Signs the audit chain in a process that does not write it. Each signature is logged with the head of the chain: a log
 * that is kept elsewhere proves later what the chain was.
 */
export function createSigner({ db, config, now, log, metrics }: Options): Poller | null {
  if (config.AUDIT_SIGNING_KEY === undefined) return null;
  const key = signingKeyOf(config.AUDIT_SIGNING_KEY);
  const formerKeys = publicKeys(config.AUDIT_VERIFY_KEY ?? []);
  const faults = new Counter({
    name: 'audit_chain_faults_total',
    help: 'Runs of the signer that found a change of the audit chain',
    registers: [metrics],
  });
  const lease = createLease({
    collection: db.auditLeases,
    due: 'until',
    holder: 'holder',
    duration: LEASE,
    now,
  });
  let last: AuditAnchor | null = null;
  return createPoller({
    interval: INTERVAL,
    async run() {
      await bounded(
        db.auditLeases.updateOne(WORK, { $setOnInsert: { until: new Date(0) } }, { upsert: true }),
      );
      if (!(await bounded(lease.claim(WORK)))) return;
      const result = await signDays({ db, key, formerKeys, now }, last);
      if (result.faults.length === 0 || result.signed > 0) last = result.anchor;
      if (result.anchor && result.signed > 0) {
        const { _id: day, first, count, head } = result.anchor;
        log.info({ day, head: `${first + count - 1}:${head}`, key: key.id }, 'audit chain signed');
      }
      if (result.faults.length > 0) {
        faults.inc();
        log.error({ faults: result.faults }, 'the audit chain was changed: run npx gatehouse audit verify');
      }
      await bounded(lease.release(WORK._id, new Date(now())));
    },
    log,
    failure: 'cannot sign the audit chain',
  });
}

/** Public keys by their ids. */
export const publicKeys = (texts: readonly string[]) =>
  new Map(texts.map(verifyKeyOf).map((key) => [keyIdOf(key), key]));
