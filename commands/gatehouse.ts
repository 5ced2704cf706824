#!/usr/bin/env node
import '@gatehouse/shared/safe-exit';
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError } from '@gatehouse/shared/config';
import { apply } from './gatehouse/apply.ts';
import { audit } from './gatehouse/audit.ts';
import { backup } from './gatehouse/backup.ts';
import type { Command } from './gatehouse/command.ts';
import { doctor } from './gatehouse/doctor.ts';
import { EXIT, UsageError } from './gatehouse/exit.ts';
import { exportCommand } from './gatehouse/export.ts';
import { importCommand } from './gatehouse/import.ts';
import { keys } from './gatehouse/keys.ts';
import { operators } from './gatehouse/operators.ts';
import { organizations } from './gatehouse/organizations.ts';
import { restore } from './gatehouse/restore.ts';
import { sessions } from './gatehouse/sessions.ts';
import { createTerminal, harmless } from './gatehouse/terminal.ts';
import { test } from './gatehouse/test.ts';
import { users } from './gatehouse/users.ts';

const COMMANDS: Record<string, Command> = {
  doctor,
  users,
  organizations,
  operators,
  apply,
  sessions,
  keys,
  audit,
  import: importCommand,
  export: exportCommand,
  test,
  backup,
  restore,
};

const list = Object.entries(COMMANDS)
  .map(([name, { summary }]) => `  ${name.padEnd(13)} ${summary}`)
  .join('\n');
const USAGE = `Commands for operators of Gatehouse. They read the settings of the services from the environment and from .env.

  npx gatehouse <command> [options]

${list}

Options of every command:
  --json      writes the result as one JSON document to standard output
  --help, -h  explains the command

Exit codes: ${EXIT.ok} done, ${EXIT.problems} done with problems that the result names, ${EXIT.usage} wrong usage, ${EXIT.failed} failed.`;

const COMMON = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

async function main([name = '', ...args]: string[]): Promise<number> {
  if (['', 'help', '--help', '-h'].includes(name)) {
    console.log(USAGE);
    return name === '' ? EXIT.usage : EXIT.ok;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`unknown command ${JSON.stringify(name)}`);
  const { values, positionals } = parse(args, command.options);
  if (values.help) {
    console.log(command.usage);
    return EXIT.ok;
  }
  if (existsSync('.env')) process.loadEnvFile('.env');
  const terminal = createTerminal({ isJson: values.json === true });
  return command.run({ values, positionals, terminal });
}

function parse(args: string[], options: Command['options']) {
  try {
    return parseArgs({ args, options: { ...options, ...COMMON }, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const { message } = error as Error;
    // A wrong file has a line for each fault. Text from elsewhere, such as an answer, stays on one.
    const lines = error instanceof UsageError ? message.split('\n') : [message];
    console.error(`gatehouse: ${lines.map(harmless).join('\n')}`);
    if (error instanceof UsageError) console.error('gatehouse: see npx gatehouse --help');
    process.exit(error instanceof UsageError || error instanceof ConfigError ? EXIT.usage : EXIT.failed);
  },
);
