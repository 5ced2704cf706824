import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';

const children: ChildProcess[] = [];
/** Starts a program as the launcher does. */
function start(script: string, args: string[] = []): ChildProcess {
  const child = fork(script, args, {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      HOST: '127.0.0.1',
      JWT_SECRET: 'x',
      LOG_LEVEL: 'silent',
    },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  children.push(child);
  return child;
}
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Resolves with exit code and signal. */
const exitOf = (child: ChildProcess) => once(child, 'exit');

const SERVICE = 'test/fixtures/hanging-service.ts';

test('a service exits with 0 on SIGTERM', async () => {
  const child = start(SERVICE);
  await once(child, 'message');
  child.kill('SIGTERM');
  expect(await exitOf(child)).toEqual([0, null]);
});

test.each<[string, string[]]>([
  ['close', ['close']],
  ['close and in exit', ['close', 'exit']],
])('a service that hangs in %s ends after its grace period', async (_, hangs) => {
  const child = start(SERVICE, hangs);
  await once(child, 'message');
  child.kill('SIGTERM');
  expect(await exitOf(child)).toEqual([null, 'SIGKILL']);
});

test.each<[string, string[]]>([
  ['nowhere', []],
  ['close', ['close']],
  ['exit', ['exit']],
  ['close and in exit', ['close', 'exit']],
])('a service that hangs in %s ends when its launcher is gone', async (_, hangs) => {
  const child = start(SERVICE, hangs);
  await once(child, 'message');
  child.disconnect();
  expect(await exitOf(child)).toEqual([null, 'SIGKILL']);
});

describe('ends when its launcher is gone before it has started', () => {
  test.each([
    [SERVICE, ['exit']],
    ['packages/minimongod/src/main.ts', ['--port', '0', '--data', ':memory:']],
  ])('%s', async (script, args) => {
    const child = start(script, args);
    child.disconnect();
    await exitOf(child);
  });
});
