import type { Config } from '@gatehouse/shared/config';
import { createSecrets } from '@gatehouse/shared/data/secrets';
import { createAgent } from '@gatehouse/shared/outbound/agent';
import { createResolve, type Resolve } from '@gatehouse/shared/outbound/public-address';
import type { FastifyInstance } from 'fastify';
import { Counter } from 'prom-client';
import type { Database } from './database.ts';
import { createOwnerNotifier } from './delivery/notify-owners.ts';
import { type AttemptResult, createRecordOutcome } from './delivery/record-outcome.ts';
import { createSend } from './delivery/send.ts';
import { createWake } from './delivery/wake.ts';
import { createWorker } from './delivery/worker.ts';
import type { WebhookHost } from './host.ts';
import { createAccept } from './intake/accept.ts';
import { createRepairPoller } from './intake/repair.ts';
import { createReceiverUrlValidator } from './registration/receiver-url.ts';
import { createRelay } from './relay/relay.ts';

/** The limits of intake and delivery, in milliseconds, and the name resolution. Tests inject others. */
export const DELIVERY_TIMING = {
  /** For one attempt, from dialing to the end of the response. */
  attemptTimeout: 15_000,
  /** For the attempt of a test event; the gateway gives the whole call 15 seconds. */
  testTimeout: 10_000,
  /** For resolving the name in a URL that is being configured. */
  resolveTimeout: 1_500,
  /** Between polls for queues that are due, and for audit events to relay. */
  poll: 500,
  /** Between polls for interrupted intakes. */
  repair: 5_000,
  /** Between polls for disabled webhooks whose owners must be notified. */
  notices: 5_000,
  /** Until another worker takes over the queues of one that was killed. */
  leaseDuration: 5_000,
  /** For which an empty queue keeps its lease. */
  linger: 50,
  /** After which a webhook whose attempts all fail is disabled. */
  disableAfter: 3 * 86_400_000,
};

export type DeliveryTuning = Partial<typeof DELIVERY_TIMING> & { resolve?: Resolve };

interface Options extends DeliveryTuning {
  config: Config<'user'>;
  db: Database;
  host: WebhookHost;
  now: () => number;
  /** Called after each attempt. */
  onAttempt?: (result: AttemptResult) => void;
}

/** Assembles intake and delivery. */
export function createDelivery(app: FastifyInstance, options: Options) {
  const { config, db, host, now, onAttempt, resolve = createResolve(), ...tuning } = options;
  const { attemptTimeout, testTimeout, resolveTimeout, ...timing } = { ...DELIVERY_TIMING, ...tuning };
  const { log } = app;
  const receivers = { allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, ports: config.WEBHOOK_PORTS, resolve };
  const agent = createAgent(receivers);
  const secrets = createSecrets(config);
  const sender = { secrets, now, send: createSend({ agent, attemptTimeout, now }) };
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks, by result',
    labelNames: ['result'],
    registers: [app.metrics],
  });
  const worker = createWorker({
    ...sender,
    ...timing,
    db,
    host,
    recordOutcome: createRecordOutcome({ db, now }),
    countAttempt(result) {
      attempts.inc({ result });
      onAttempt?.(result);
    },
    onDisabled: () => owners.wake(),
    log,
  });
  const { webhookChanged, deliveriesAdded } = createWake({ db, now, worker });
  const retention = config.WEBHOOK_RETENTION_DAYS * 86_400_000;
  const intake = { db, host, now, retention, deliveriesAdded };
  const accept = createAccept(intake);

  const relay = createRelay({ ...timing, db, host, now, accept, log });
  const owners = createOwnerNotifier({ db, host, now, accept, log, interval: timing.notices });
  const repair = createRepairPoller({ ...intake, log, interval: timing.repair });
  app.addHook('onClose', () => agent.destroy());
  const httpsOnly = config.NODE_ENV === 'production';
  const validateReceiverUrl = createReceiverUrlValidator({
    ...receivers,
    httpsOnly,
    resolveTimeout,
  });
  return {
    host,
    worker,
    relay,
    owners,
    repair,
    accept,
    retention,
    webhookChanged,
    secrets,
    sender,
    testTimeout,
    validateReceiverUrl,
  };
}
