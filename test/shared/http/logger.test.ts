import { execFile } from 'node:child_process';
import { describe, expect, test } from 'vitest';

/** Runs statements that log in a process of their own. @returns the messages that arrive on its standard output. */
function messagesOf(statements: string): Promise<string[]> {
  const script = `
    import { createLoggers, flushLogs } from '@gatehouse/shared/http/logger';
    const { logger, plain } = createLoggers('test', 'info');
    const kill = () => process.kill(process.pid, 'SIGKILL');
    ${statements}`;
  return new Promise((resolve) => {
    execFile(process.execPath, ['--input-type=module', '--eval', script], (_error, stdout) => {
      const lines = stdout.split('\n').filter((line) => line !== '');
      resolve(lines.map((line) => JSON.parse(line).msg));
    });
  });
}

describe('standard output', () => {
  test.each([
    ['the process ends', ''],
    ['it exits', 'process.exit(1);'],
    ['it is killed after an error', "logger.error('two'); kill();"],
    ['it is killed after a flush', 'flushLogs(); kill();'],
    ['a second has passed and it is killed', 'setTimeout(kill, 3_000);'],
  ])('gets the lines when %s', async (_when, ending) => {
    const messages = await messagesOf(`plain.info('zero'); logger.info('one'); ${ending}`);
    expect(messages.slice(0, 2)).toEqual(['zero', 'one']);
  });

  test('gets the lines before an uncaught error', async () => {
    expect(await messagesOf("logger.info('one'); throw new Error('a bug');")).toEqual(['one']);
  });
});
