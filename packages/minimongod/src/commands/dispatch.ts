import { asInteger, type Doc, isDoc } from '../bson/value.ts';
import { badValue, CommandError, errorReply, unknownField } from '../errors.ts';
import { commandReply } from '../wire/reply.ts';
import { collectionCommands } from './collection-commands.ts';
import type { Command, CommandContext } from './command.ts';
import { explain } from './explain.ts';
import { findAndModify } from './find-and-modify.ts';
import { indexCommands } from './index-commands.ts';
import { readCommands } from './read-commands.ts';
import { serverCommands } from './server-commands.ts';
import { writeCommands } from './write-commands.ts';

export const COMMANDS: Record<string, Command> = {
  ...serverCommands,
  ...readCommands,
  explain,
  ...writeCommands,
  findAndModify,
  ...collectionCommands,
  ...indexCommands,
};

const OPTIONS = new Map(
  Object.values(COMMANDS).map((command) => [command, new Set(command.options?.split(' '))]),
);

/** Earlier spellings that clients still send. */
const ALIASES: Record<string, string> = {
  ismaster: 'isMaster',
  buildinfo: 'buildInfo',
  findandmodify: 'findAndModify',
};

/** The fields that any command may carry. */
const COMMON_FIELDS = new Set(
  '$db $readPreference $clusterTime lsid txnNumber autocommit startTransaction readConcern writeConcern maxTimeMS comment apiVersion apiStrict apiDeprecationErrors'.split(
    ' ',
  ),
);

/** Runs a command, all but a backup synchronously; an error becomes the reply. */
export function runCommand(
  command: Doc | CommandError,
  connection: Omit<CommandContext, 'db' | 'now'>,
): Buffer | Promise<Buffer> {
  const failed = (error: unknown) => commandReply(errorReply(error));
  try {
    if (command instanceof CommandError) throw command;
    const result = dispatch(command, connection);
    if (result instanceof Promise) return result.then(commandReply).catch(failed);
    return Buffer.isBuffer(result) ? result : commandReply(result);
  } catch (error) {
    return failed(error);
  }
}

function dispatch(command: Doc, connection: Omit<CommandContext, 'db' | 'now'>): Doc | Buffer | Promise<Doc> {
  const [given = '', ...fields] = Object.keys(command);
  const name = ALIASES[given] ?? given;
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) throw new CommandError(59, `no such command: '${given}'`);
  const db = command.$db;
  if (typeof db !== 'string') throw new CommandError(40571, 'OP_MSG requests require a $db argument');
  const unknown = fields.find((field) => !COMMON_FIELDS.has(field) && !OPTIONS.get(entry)?.has(field));
  if (unknown !== undefined) throw unknownField(`${given}.${unknown}`);
  checkCommonFields(command);
  const context: CommandContext = { ...connection, db, now: new Date(connection.clock()) };
  const request = given === name ? command : { [name]: command[given], ...command };
  return entry.writes
    ? context.store.transaction(() => entry.run(request, context))
    : entry.run(request, context);
}

/** Refuses the transactions, read concerns and write concerns that MongoDB refuses on a standalone server. */
function checkCommonFields(command: Doc): void {
  const { readConcern, writeConcern, apiVersion } = command;
  if ('txnNumber' in command || 'startTransaction' in command || 'autocommit' in command) {
    throw new CommandError(20, 'Transaction numbers are only allowed on a replica set member or mongos');
  }
  if (isDoc(readConcern) && readConcern.level === 'snapshot') {
    throw new CommandError(123, 'node needs to be a replica set member to use readConcern: snapshot');
  }
  if (isDoc(readConcern) && readConcern.level === 'linearizable') {
    throw new CommandError(123, 'node needs to be a replica set member to use read concern');
  }
  const w = isDoc(writeConcern) ? writeConcern.w : undefined;
  if ((asInteger(w) ?? 0) > 1) throw badValue("cannot use 'w' > 1 when a host is not replicated");
  if (typeof w === 'string' && w !== 'majority') {
    throw badValue("cannot use non-majority 'w' mode when a host is not replicated");
  }
  if (apiVersion !== undefined && apiVersion !== '1') {
    throw new CommandError(322, `Provided apiVersion must be '1', found '${String(apiVersion)}'`);
  }
}
