import { type Doc, MAX_DOCUMENT_BYTES } from '../bson/value.ts';
import { MAX_MESSAGE_BYTES } from '../wire/messages.ts';
import type { Command, CommandContext } from './command.ts';

// MongoDB 8.0: https://github.com/mongodb/mongo/blob/v8.0/src/mongo/db/wire_version.h
const VERSION = '8.0.0';
const MAX_WIRE_VERSION = 25;

export const MAX_BATCH = 100_000;

function handshake(primary: 'isWritablePrimary' | 'ismaster'): Command {
  return {
    options:
      'helloOk client compression saslSupportedMechs speculativeAuthenticate hostInfo loadBalanced topologyVersion maxAwaitTimeMS internalClient backpressure',
    run: (command: Doc, { connectionId, now }: CommandContext) => ({
      ...(command.helloOk === true ? { helloOk: true } : {}),
      [primary]: true,
      maxBsonObjectSize: MAX_DOCUMENT_BYTES,
      maxMessageSizeBytes: MAX_MESSAGE_BYTES,
      maxWriteBatchSize: MAX_BATCH,
      localTime: now,
      logicalSessionTimeoutMinutes: 30,
      connectionId,
      minWireVersion: 0,
      maxWireVersion: MAX_WIRE_VERSION,
      readOnly: false,
    }),
  };
}

export const serverCommands: Record<string, Command> = {
  hello: handshake('isWritablePrimary'),
  isMaster: handshake('ismaster'),
  ping: { run: () => ({}) },
  buildInfo: {
    run: () => ({
      version: VERSION,
      gitVersion: 'minimongod',
      modules: [],
      versionArray: VERSION.split('.').concat('0').map(Number),
      bits: 64,
      debug: false,
      maxBsonObjectSize: MAX_DOCUMENT_BYTES,
      storageEngines: ['sqlite'],
    }),
  },
  connectionStatus: {
    options: 'showPrivileges',
    run: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
  },
  endSessions: { run: () => ({}) },
  /** MongoDB has none: its data files are copied by tools of their own. */
  backup: { run: async (_command, { store }) => ({ file: await store.backup() }) },
};
