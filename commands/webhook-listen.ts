import '@gatehouse/shared/safe-exit';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { loadStandaloneConfig } from '@gatehouse/shared/config';
import { createReceiver, type Totals } from './webhook-listen/receiver.ts';

const USAGE = `Receives webhooks on this machine: prints each delivery, whether its signatures hold, and whether it arrived before.
It listens on 127.0.0.1 only. Ctrl-C stops it.

  npm run -s webhook-listen [-- OPTIONS]

  --port PORT       3000 by default; 0 picks a free one
  --secret SECRET   the secret of the webhook; if unset, WEBHOOK_SECRET, or else a new one
  --status STATUS   what to answer, 200 to 599, 200 by default; 410 makes Gatehouse disable the webhook
  --fail N          answer the first N requests with 500, so that they are retried
  --help

Gatehouse calls this machine only with WEBHOOK_ALLOW_PRIVATE=on, which is for development.`;

/** Milliseconds that requests in flight may take after Ctrl-C. */
const GRACE = 2_000;

function integer(text: string, name: string, min: number, max: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < min || number > max)
    throw new Error(`--${name} must be an integer from ${min} to ${max}`);
  return number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      port: { type: 'string', default: '3000' },
      secret: { type: 'string' },
      status: { type: 'string', default: '200' },
      fail: { type: 'string', default: '0' },
    },
  });
  if (values.help) return console.log(USAGE);
  const given = values.secret ?? (process.env.WEBHOOK_SECRET || undefined);
  const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
  const { server, totals } = createReceiver({
    secret,
    status: integer(values.status, 'status', 200, 599),
    fail: integer(values.fail, 'fail', 0, 1_000_000),
    print: console.log,
  });
  const stopped = Promise.withResolvers<void>();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.resolve());
  const port = integer(values.port, 'port', 0, 65_535);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error) => {
    throw error.code === 'EADDRINUSE'
      ? new Error(`port ${port} is in use; choose another with --port`)
      : error;
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  console.log(instructions(url, given === undefined ? secret : 'THE SECRET'));
  process.send?.('ready');
  await stopped.promise;
  // Idle connections close at once.
  const closed = new Promise((resolve) => server.close(resolve));
  setTimeout(() => server.closeAllConnections(), GRACE).unref();
  await closed;
  console.log(`\n${summary(totals)}`);
}

const summary = ({ received, duplicates, forged }: Totals): string =>
  `${received} received, ${duplicates} of them duplicates, ${forged} with a signature that does not hold`;

function instructions(url: string, secret: string): string {
  const gatehouse = `http://localhost:${loadStandaloneConfig().GATEWAY_PORT}`;
  const body = JSON.stringify({ url, events: ['chatbot.created'], secret });
  return `Listening at ${url} Ctrl-C stops it.

Gatehouse may call this machine if it was started with

  WEBHOOK_ALLOW_PRIVATE=on npm start

With $TOKEN of an account, register this receiver and send it a sample:

  HOOK=$(curl -s ${gatehouse}/api/v1/webhooks/configure -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '${body}' | sed 's/.*"webhook_id":"\\([^"]*\\)".*/\\1/')
  curl ${gatehouse}/api/v1/webhooks/$HOOK/test -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' -d '{"event":"chatbot.created"}'`;
}

try {
  await main();
} catch (error) {
  console.error(`webhook-listen: ${(error as Error).message}`);
  process.exitCode = 1;
}
