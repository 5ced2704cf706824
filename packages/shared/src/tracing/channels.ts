import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { MongoClient } from 'mongodb';
import type { LoggerOptions } from 'pino';

/**
 * Where the services tell what they do. Tracing listens if it is on; without a listener a channel costs nothing. Fastify
 * and undici have channels of their own.
 */
export const channels = {
  /** Each `MongoClient` that executes operations. Its `monitorCommands` is on if the channel has subscribers. */
  database: channel<MongoClient>('gatehouse.database'),
  /** The options of a logger before it is created. A subscriber may add to them. */
  logger: channel<LoggerOptions>('gatehouse.logger'),
  /** Sending one mail, from its place in the queue to the answer of the mail server. */
  mail: tracingChannel('gatehouse.mail'),
  /** One attempt to deliver an event. */
  webhook: tracingChannel('gatehouse.webhook'),
};
