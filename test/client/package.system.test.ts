import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** What the package needs beside itself. A test must not need the registry: an installation links these folders. */
const DEPENDENCIES = [
  '@stablelib/base64',
  'fast-sha256',
  'jose',
  'openapi-fetch',
  'openapi-typescript-helpers',
  'standardwebhooks',
];
const COMPILERS = {
  'TypeScript 5': 'packages/client/node_modules/typescript/bin/tsc',
  'TypeScript 7': 'node_modules/typescript/bin/tsc',
};

const USE = `
  const gate = createGatehouse({ url: 'http://127.0.0.1:9', retries: 0 });
  const outcome = await gate.signIn({ email: 'ada@example.com', password: 'secret' });
  if (outcome.status !== 'failed') throw new Error(outcome.status);
  const server = createServerGatehouse({ url: 'http://127.0.0.1:9', secret: 'x'.repeat(32) });
  const session = await server.session({ headers: { authorization: 'Bearer a.b.c' } });
  const delivery = await verifyWebhook({ headers: {} }, 'secret', '{}').catch((error: Failure) => error.reason);
  console.log(outcome.error.reason, session, delivery);
`;
/** Each line that is wrong must be an error: otherwise the types of the calls are lost. */
const TYPES = `
  const { data, error } = await gate.POST('/v2/login', { body: { email: '', password: '' } });
  const token: string | undefined = data?.token;
  // @ts-expect-error
  await gate.POST('/v2/login', { body: { email: '' } });
  // @ts-expect-error
  await gate.GET('/api/v1/nothing');
  const { data: chatbot } = await gate.GET('/api/v1/chatbots/{chatbot_id}', { params: { path: { chatbot_id: '' } } });
  const name: string | undefined = chatbot?.name;
  if (error?.reason === 'secondFactorRequired') error.details.factor_token.trim();
  // @ts-expect-error
  if (error?.reason === 'nothing') throw error;
  console.log(token, name);
`;
const imports = `import { createGatehouse, type Failure } from 'gatehouse';
import { createServerGatehouse, verifyWebhook } from 'gatehouse/server';
`;
const FILES = {
  'esm.mts': `${imports}${USE}export const types = async () => {${TYPES}};\n`,
  'cjs.cts': `${imports}async function use() {${USE}\nreturn async () => {${TYPES}};\n}\nvoid use();\n`,
};

const run = promisify(execFile);
const modules = (name: string) => resolve('node_modules', name);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-client-'));
  await run('npm', ['run', 'build', '--workspace', 'gatehouse']);
  const { stdout } = await run('npm', ['pack', resolve('packages/client/dist'), '--json'], { cwd: folder });
  const [{ filename }] = JSON.parse(stdout);
  const project = { name: 'app', private: true, dependencies: { gatehouse: `file:${filename}` } };
  const linked = Object.fromEntries(DEPENDENCIES.map((name) => [name, `file:${modules(name)}`]));
  Object.assign(project.dependencies, linked);
  await writeFile(join(folder, 'package.json'), JSON.stringify(project));
  await run(
    'npm',
    ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--install-links'],
    {
      cwd: folder,
    },
  );
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(folder, name), content);
  await cp(modules('@types/node'), join(folder, 'node_modules/@types/node'), { recursive: true });
  await symlink(modules('undici-types'), join(folder, 'node_modules/undici-types'));
});
afterAll(() => rm(folder, { recursive: true }));

const installed = () => join(folder, 'node_modules/gatehouse');

test('the package holds no source, and nothing of the repository', async () => {
  const manifest = JSON.parse(await readFile(join(installed(), 'package.json'), 'utf8'));
  expect(Object.keys(manifest.exports)).toEqual(['.', './calls', './react', './server']);
  expect([manifest.private, manifest.devDependencies, manifest.scripts]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test.each(Object.entries(COMPILERS))('%s checks and compiles both kinds of modules', async (_, compiler) => {
  const options = [
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--outDir',
    'out',
  ];
  const files = Object.keys(FILES);
  const checked = run(process.execPath, [resolve(compiler), ...options, ...files], { cwd: folder });
  await expect(checked.catch(({ stdout }) => Promise.reject(new Error(stdout)))).resolves.toBeDefined();
  for (const [name] of Object.entries(FILES)) {
    const { stdout } = await run(process.execPath, [join(folder, 'out', name.replace('ts', 'js'))]);
    expect(stdout).toBe('unreachable undefined forbidden\n');
  }
});
