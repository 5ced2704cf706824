import type { Config } from '@gatehouse/shared/config';
import type { Database } from '@gatehouse/shared/database';
import type { FastifyInstance } from 'fastify';
import { Counter } from 'prom-client';
import { createAccept } from '../events/accept.ts';
import { startRepair } from '../events/repair.ts';
import { createJudgeReceiver } from '../webhooks/receiver.ts';
import { resealAll } from '../webhooks/reseal.ts';
import { createSecrets } from '../webhooks/secrets.ts';
import { createAgent } from './agent.ts';
import { createSend } from './attempt.ts';
import { createResolve, type Resolve } from './public-address.ts';
import { createWriteDown } from './record.ts';
import { createWorker } from './worker.ts';

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
      writeDown: createWriteDown({ db, now }),
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
  const judgeReceiver = createJudgeReceiver({ allowPrivate, httpsOnly, resolve });
  return { accept, kick: worker.kick, secrets, sender, judgeReceiver };
}
