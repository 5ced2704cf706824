import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { GatehouseError, type GatehouseEvent, verifyWebhook } from 'gatehouse/server';

/** Receives webhooks, and counts the chatbots that each person creates. */

const { WEBHOOK_SECRET: secret, DATABASE: file = 'worker.db', PORT: port = '3002' } = process.env;
if (!secret) throw new Error('WEBHOOK_SECRET is missing: the secret that the webhook was configured with');

const db = new DatabaseSync(file);
db.exec(`
  CREATE TABLE IF NOT EXISTS handled (id TEXT PRIMARY KEY) STRICT;
  CREATE TABLE IF NOT EXISTS chatbots (user_id TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT;
`);
const remember = db.prepare('INSERT INTO handled (id) VALUES (?) ON CONFLICT DO NOTHING');
const count = db.prepare(`
  INSERT INTO chatbots (user_id, number) VALUES (?, 1) ON CONFLICT DO UPDATE SET number = number + 1
`);

/**
 * Handles an event once: its id and its effect are committed together. A delivery that arrives again finds the id, and
 * one that failed half-way finds nothing.
 */
function handle(event: GatehouseEvent & { id: string }): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const isNew = remember.run(event.id).changes === 1;
    if (isNew && event.event === 'chatbot.created') count.run(event.data.user_id);
    db.exec('COMMIT');
    console.log(isNew ? 'handled' : 'repeated', event.event, event.id);
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** Far more than an event has. */
const LARGEST = 1_000_000;

/** @returns the exact bytes: the signature is over them. Undefined if there are too many. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** @returns the status. Gatehouse sends a delivery again, for three days, unless it is 2xx. */
async function receive(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405;
  try {
    const body = await bodyOf(request);
    if (!body) return 413;
    handle(await verifyWebhook(request, secret as string, body));
    return 204;
  } catch (error) {
    if (error instanceof GatehouseError) return error.status;
    console.error(error);
    return 500;
  }
}

const server = createServer(async (request, response) => {
  response.writeHead(await receive(request)).end();
});
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
