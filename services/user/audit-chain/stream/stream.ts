import type { Config } from '@gatehouse/shared/config';
import { bounded } from '@gatehouse/shared/data/bounded';
import { createLease } from '@gatehouse/shared/durable/lease';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import type { createSend } from '@gatehouse/webhooks/send';
import { isDelivered } from '@gatehouse/webhooks/send';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import { otlpReceiver } from './otlp.ts';
import type { Receiver } from './receiver.ts';
import { type StreamedEvent, streamedEvent } from './streamed-event.ts';
import { webhookReceiver } from './webhook.ts';

/** Milliseconds between two looks for events. */
export const INTERVAL = 1_000;
/** Milliseconds until another process continues for one that was killed; longer than an attempt. */
const LEASE = 30_000;
const BATCH = 200;
const MAX_BODY = 1024 * 1024;
/** Milliseconds between two attempts, at least and at most. */
const BACKOFF = [1_000, 300_000] as const;

type Db = Pick<Database, 'auditChain' | 'auditEvents' | 'auditLeases'>;

interface Options {
  db: Db;
  receivers: readonly Receiver[];
  send: ReturnType<typeof createSend>;
  now: () => number;
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>;
}

/** The receivers of the settings. */
export const receiversOf = (config: Config<'user'>): Receiver[] => [
  ...(config.AUDIT_STREAM_OTLP_URL
    ? [otlpReceiver(config.AUDIT_STREAM_OTLP_URL, config.AUDIT_STREAM_OTLP_HEADERS)]
    : []),
  ...(config.AUDIT_STREAM_WEBHOOK_URL && config.AUDIT_STREAM_WEBHOOK_SECRET
    ? [webhookReceiver(config.AUDIT_STREAM_WEBHOOK_URL, config.AUDIT_STREAM_WEBHOOK_SECRET)]
    : []),
];

/**
 * Sends audit events to the collector of the operator, in the order of the chain, which has no gaps and never changes:
 * how far it has come is one number in the database. One process at a time sends, and moves the number once the receiver
 * has answered 2xx, so a kill repeats a batch and loses none. It tries for ever, and holds one batch in memory.
 */
export const createStream = (options: Options): Poller =>
  createPoller({
    interval: INTERVAL,
    async run(isStopping) {
      await Promise.all(options.receivers.map((receiver) => streamTo(options, receiver, isStopping)));
    },
    log: options.log,
    failure: 'cannot stream audit events',
  });

export async function streamTo(
  { db, send, now, log }: Omit<Options, 'receivers'>,
  receiver: Receiver,
  isStopping = () => false,
): Promise<void> {
  const _id = `stream to ${receiver.name}` as const;
  const lease = createLease({
    collection: db.auditLeases,
    due: 'until',
    holder: 'holder',
    duration: LEASE,
    now,
  });
  if ((await bounded(nextLink(db, _id))) === null) return;
  await bounded(
    db.auditLeases.updateOne(
      { _id },
      { $setOnInsert: { until: new Date(0), position: 0 } },
      { upsert: true },
    ),
  );
  const work = await bounded(lease.claim({ _id }));
  if (!work) return;
  let { position = 0, failures = 0 } = work;
  let limit = BATCH;
  while (!isStopping()) {
    const events = await bounded(readBatch(db, position, limit));
    const last = events.at(-1);
    if (!last) break;
    const request = receiver.request(events, now());
    const isTooLarge = request.body.length > MAX_BODY;
    const outcome = isTooLarge && events.length > 1 ? null : await send(request);
    if (outcome && isDelivered(outcome)) {
      const refused = receiver.rejected?.(outcome.answer);
      if (refused) log.error({ ...refused, to: receiver.name }, 'the collector refused audit events');
      position = last.chain.position;
      failures = 0;
      limit = BATCH;
      if (!(await bounded(lease.renew(_id, { $set: { position, failures } })))) return;
    } else if ((!outcome || outcome.status === 413) && events.length > 1) {
      limit = Math.ceil(events.length / 2);
    } else {
      failures += 1;
      const { status = null, error = null } = outcome ?? {};
      log.warn({ to: receiver.name, status, error, failures }, 'audit events not streamed yet');
      const [least, most] = BACKOFF;
      const wait = Math.min(least * 2 ** Math.min(failures - 1, 20), most);
      const retryAfter = Math.min(outcome?.retryAfter ?? 0, most);
      if (await bounded(lease.renew(_id, { $set: { failures } })))
        await bounded(lease.release(_id, new Date(now() + Math.max(wait, retryAfter))));
      return;
    }
  }
  await bounded(lease.release(_id, new Date(now())));
}

/** The oldest link that was not sent. */
export async function nextLink({ auditLeases, auditChain }: Db, _id: `stream to ${Receiver['name']}`) {
  const work = await auditLeases.findOne({ _id });
  return auditChain.findOne({ _id: { $gt: work?.position ?? 0 } }, { sort: { _id: 1 } });
}

async function readBatch(
  { auditChain, auditEvents }: Db,
  position: number,
  limit: number,
): Promise<StreamedEvent[]> {
  const links = await auditChain
    .find({ _id: { $gt: position } })
    .sort({ _id: 1 })
    .limit(limit)
    .batchSize(limit)
    .toArray();
  const ids = links.map(({ event }) => event as never);
  const found = await auditEvents.find({ _id: { $in: ids } }).toArray();
  const events = new Map<string, AuditEvent>(found.map((event) => [String(event._id), event]));
  return links.map((link) => streamedEvent(link, events.get(String(link.event))));
}
