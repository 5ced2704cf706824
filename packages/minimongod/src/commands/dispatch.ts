import { asInteger, type Doc, isDoc } from '../bson/value.ts';
import { CommandError, errorReply } from '../errors.ts';
import { reply } from '../wire/reply.ts';
import { collectionCommands } from './collection-commands.ts';
import type { Command, CommandContext } from './command.ts';
import { indexCommands } from './index-commands.ts';
import { readCommands } from './read-commands.ts';
import { noTransactions, serverCommands } from './server-commands.ts';
import { writeCommands } from './write-commands.ts';

const COMMANDS: Record<string, Command> = {
  ...serverCommands,
  ...readCommands,
  ...writeCommands,
  ...collectionCommands,
  ...indexCommands,
};

/** Fields that any command may carry; checkCommon refuses those whose meaning a standalone cannot honour. */
const COMMON = new Set([
  '$db',
  '$readPreference',
  '$clusterTime',
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'comment',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
]);

/** Runs a command to the end in one synchronous stretch; whatever goes wrong becomes its reply. */
export function runCommand(command: Doc, connection: Omit<CommandContext, 'db' | 'now'>): Buffer {
  try {
    const result = dispatch(command, connection);
    return Buffer.isBuffer(result) ? result : reply(result);
  } catch (error) {
    return reply(errorReply(error));
  }
}

function dispatch(command: Doc, connection: Omit<CommandContext, 'db' | 'now'>): Doc | Buffer {
  const [name = ''] = Object.keys(command);
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) throw new CommandError(59, `no such command: '${name}'`);
  const db = command.$db;
  if (typeof db !== 'string') throw new CommandError(40571, 'OP_MSG requests require a $db argument');
  for (const field of Object.keys(command)) {
    if (field !== name && !COMMON.has(field) && !entry.options.includes(field)) {
      throw new CommandError(40415, `BSON field '${name}.${field}' is an unknown field.`);
    }
  }
  checkCommon(command);
  const context: CommandContext = { ...connection, db, now: new Date() };
  return entry.writes
    ? context.store.transaction(() => entry.run(command, context))
    : entry.run(command, context);
}

function checkCommon({
  txnNumber,
  startTransaction,
  autocommit,
  readConcern,
  writeConcern,
  apiVersion,
}: Doc): void {
  if (txnNumber !== undefined || startTransaction !== undefined || autocommit !== undefined)
    throw noTransactions();
  if (isDoc(readConcern) && readConcern.level === 'snapshot') {
    throw new CommandError(123, 'node needs to be a replica set member to use readConcern: snapshot');
  }
  if (isDoc(writeConcern)) {
    const { w } = writeConcern;
    const nodes = asInteger(w);
    if (nodes !== undefined && nodes > 1) {
      throw new CommandError(2, "cannot use 'w' > 1 when a host is not replicated");
    }
    if (typeof w === 'string' && w !== 'majority') {
      throw new CommandError(2, "cannot use non-majority 'w' mode when a host is not replicated");
    }
  }
  if (apiVersion !== undefined && apiVersion !== '1') {
    throw new CommandError(322, `Provided apiVersion must be '1', found '${String(apiVersion)}'`);
  }
}
