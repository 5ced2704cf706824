import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { runGatehouse } from '../commands/run-gatehouse.ts';
import { call } from './call.ts';

test('npx gatehouse test starts the kit with a seed, and stops gracefully', async () => {
  const args = [
    'test',
    '--port',
    '0',
    '--control',
    '0',
    '--seed',
    'packages/testing/seed.yaml',
    '--practice',
  ];
  const child = spawn(process.execPath, ['commands/gatehouse.ts', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
  });
  const ended = once(child, 'exit');
  let output = '';
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes('}')) break;
  }
  const { url, control } = JSON.parse(output);
  const { body: session } = await call({ url: control }, '/session', { body: { email: 'ada@example.com' } });
  const profile = await call({ url }, '/api/v1/users/me', { token: String(session.token) });
  expect([profile.status, profile.body.name]).toStrictEqual([200, 'Ada Lovelace']);
  child.kill('SIGTERM');
  expect(await ended).toStrictEqual([0, null]);
});

test.each([
  [['--port', 'x'], {}, 2, 'gatehouse: --port must be a port\n'],
  [
    [],
    { NODE_ENV: 'production' },
    3,
    'gatehouse: The test kit is refused in production (NODE_ENV=production)\n',
  ],
])('npx gatehouse test %j with %j is refused', async (args, env, code, message) => {
  const refused = await runGatehouse(['test', ...args], env);
  expect([refused.code, refused.stdout]).toStrictEqual([code, '']);
  expect(refused.stderr.startsWith(message)).toBe(true);
});
