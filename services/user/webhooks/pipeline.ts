import type { Config } from '@gatehouse/shared/config';
import type { FastifyInstance } from 'fastify';
import { Counter } from 'prom-client';
import type { Database } from '../database.ts';
import { createAgent } from './delivery/agent.ts';
import { createSend } from './delivery/attempt.ts';
import { createResolve, type Resolve } from './delivery/public-address.ts';
import { createRecordOutcome } from './delivery/record-outcome.ts';
import { createSecrets } from './delivery/secrets.ts';
import { createWorker } from './delivery/worker.ts';
import { createAccept } from './intake/accept.ts';
import { startRepair } from './intake/repair.ts';
import { createReceiverUrlValidator } from './registration/receiver-url.ts';
import { resealAll } from './registration/reseal.ts';

/** Milliseconds for one attempt, from dialling to the end of the answer. */
const ATTEMPT = 15_000;

/** What a test sets otherwise. */
export interface DeliveryTuning {
  /** Milliseconds for one attempt. */
  attempt?: number;
  /** Milliseconds between two looks for queues that are due. */
  poll?: number;
  resolve?: Resolve;
}

interface Options extends DeliveryTuning {
  config: Config<'user'>;
  db: Database;
  now: () => number;
}

/** Puts together what takes events in and sends them out. It works from the service's start to its stop. */
export function createDelivery(
  app: FastifyInstance,
  { config, db, now, attempt = ATTEMPT, poll, resolve = createResolve() }: Options,
) {
  const { log } = app;
  const allowPrivate = config.WEBHOOK_ALLOW_PRIVATE;
  const agent = createAgent({ allowPrivate, resolve });
  const secrets = createSecrets(config);
  const sender = { secrets, now, send: createSend({ agent, usual: attempt, now }) };
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks, by what came of them',
    labelNames: ['result'],
    registers: [app.metrics],
  });
  const worker = createWorker(
    {
      ...sender,
      db,
      recordOutcome: createRecordOutcome({ db, now }),
      log,
      attempted: (result) => attempts.inc({ result }),
    },
    { poll },
  );
  const accept = createAccept({ db, now, offer: worker.offer });

  let stopRepair = () => {};
  app.addHook('onReady', async () => {
    await resealAll(db, secrets);
    stopRepair = startRepair({ db, now, accept, offer: worker.offer, log });
    worker.start();
  });
  // Before the server closes, and with it the database.
  app.addHook('preClose', async () => {
    stopRepair();
    await worker.stop();
    await agent.destroy();
  });
  const httpsOnly = config.NODE_ENV === 'production';
  const validateReceiverUrl = createReceiverUrlValidator({ allowPrivate, httpsOnly, resolve });
  return { accept, kick: worker.kick, secrets, sender, validateReceiverUrl };
}
