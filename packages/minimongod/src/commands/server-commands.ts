import { hostname } from 'node:os';
import { type Doc, integer, MAX_DOCUMENT_BYTES } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { MAX_MESSAGE_BYTES } from '../wire/messages.ts';
import type { Command, CommandContext } from './command.ts';

const VERSION = '8.0.0';
// MongoDB 8.0: https://github.com/mongodb/mongo/blob/v8.0/src/mongo/db/wire_version.h
const MAX_WIRE_VERSION = 25;

function handshake({ connectionId, now }: CommandContext): Doc {
  return {
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    maxMessageSizeBytes: MAX_MESSAGE_BYTES,
    maxWriteBatchSize: 100_000,
    localTime: now,
    logicalSessionTimeoutMinutes: 30,
    connectionId,
    minWireVersion: 0,
    maxWireVersion: MAX_WIRE_VERSION,
    readOnly: false,
  };
}

const HANDSHAKE_OPTIONS = [
  'helloOk',
  'client',
  'compression',
  'saslSupportedMechs',
  'speculativeAuthenticate',
  'hostInfo',
  'loadBalanced',
  'topologyVersion',
  'maxAwaitTimeMS',
  'internalClient',
  'backpressure',
];

const hello: Command = {
  options: HANDSHAKE_OPTIONS,
  run: (command, context) => ({
    ...(command.helloOk === true ? { helloOk: true } : {}),
    isWritablePrimary: true,
    ...handshake(context),
  }),
};

const isMaster: Command = {
  options: HANDSHAKE_OPTIONS,
  run: (command, context) => ({
    ...(command.helloOk === true ? { helloOk: true } : {}),
    ismaster: true,
    ...handshake(context),
  }),
};

const ping: Command = { options: [], run: () => ({}) };

const buildInfo: Command = {
  options: [],
  run: () => ({
    version: VERSION,
    gitVersion: 'gatehouse',
    modules: [],
    versionArray: [8, 0, 0, 0],
    bits: 64,
    debug: false,
    maxBsonObjectSize: MAX_DOCUMENT_BYTES,
    storageEngines: ['sqlite'],
  }),
};

const serverStatus: Command = {
  options: ['repl', 'metrics', 'locks', 'tcmalloc'],
  run: (_command, { startedAt, now, cursors }) => ({
    host: hostname(),
    version: VERSION,
    process: 'mongod',
    pid: integer(process.pid),
    uptime: (now.getTime() - startedAt) / 1000,
    localTime: now,
    storageEngine: { name: 'sqlite', persistent: true },
    metrics: { cursor: { open: { total: integer(cursors.count()) } } },
  }),
};

const connectionStatus: Command = {
  options: ['showPrivileges'],
  run: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
};

const endSessions: Command = { options: [], run: () => ({}) };

/** A standalone knows no transactions: https://www.mongodb.com/docs/manual/core/transactions/ */
const transaction: Command = {
  options: ['recoveryToken'],
  run() {
    throw noTransactions();
  },
};

export function noTransactions(): CommandError {
  return new CommandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
}

export const serverCommands: Record<string, Command> = {
  hello,
  isMaster,
  ismaster: isMaster,
  ping,
  buildInfo,
  buildinfo: buildInfo,
  serverStatus,
  connectionStatus,
  endSessions,
  refreshSessions: endSessions,
  killSessions: endSessions,
  commitTransaction: transaction,
  abortTransaction: transaction,
};
