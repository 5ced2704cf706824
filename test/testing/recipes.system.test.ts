import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { startGatehouse } from '@gatehouse/testing';
import { startControl } from '@gatehouse/testing/control';
import { afterAll, beforeAll, expect, test } from 'vitest';

const GUIDE = 'docs/guides/test-your-app.md';
const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell';
const hasPytest = await run('python3', ['-m', 'pytest', '--version'], '.').then(
  () => true,
  () => false,
);

/** A project that has the kit by path, as the guide says. */
let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'recipes-'));
  for (const name of ['@gatehouse/testing', 'vitest', 'playwright-core']) {
    const link = join(project, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(
      resolve(name === '@gatehouse/testing' ? 'packages/testing' : join('node_modules', name)),
      link,
    );
  }
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(project, { recursive: true }));

/** Writes a recipe of the guide to a file of the project. */
async function writeRecipe(name: string, file: string): Promise<void> {
  const guide = await readFile(GUIDE, 'utf8');
  const [, code] = new RegExp(`^\`\`\`\\w+ recipe=${name}\\n(.*?)^\`\`\`$`, 'ms').exec(guide) ?? [];
  if (code === undefined) throw new Error(`the guide has no recipe for ${name}`);
  await writeFile(join(project, file), code);
}

/** @returns what it prints. @throws with that when it fails. */
function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = {}): Promise<string> {
  const options = { cwd, env: { PATH: process.env.PATH, HOME: cwd, CHROMIUM_PATH: CHROMIUM, ...env } };
  return new Promise((resolve, reject) => {
    execFile(command, args, options, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}${stderr}`, { cause: error })) : resolve(`${stdout}${stderr}`),
    );
  });
}

test('vitest', async () => {
  await writeRecipe('vitest', 'app.test.ts');
  const output = await run(
    process.execPath,
    [resolve('node_modules/vitest/vitest.mjs'), 'run', '--root', project],
    project,
  );
  expect(output).toMatch(/Tests .*2 passed/);
});

test("Node's test runner", async () => {
  await writeRecipe('node', 'app.test.mjs');
  expect(await run(process.execPath, ['--test', 'app.test.mjs'], project)).toMatch(/pass 2\b/);
});

test.skipIf(!existsSync(CHROMIUM))('Playwright', async () => {
  await writeRecipe('playwright', 'pages.test.mjs');
  expect(await run(process.execPath, ['--test', 'pages.test.mjs'], project)).toMatch(/pass 1\b/);
});

test.skipIf(!hasPytest)('pytest', async () => {
  await writeRecipe('pytest', 'test_app.py');
  await using gate = await startGatehouse();
  const control = await startControl(gate, 0);
  try {
    const output = await run('python3', ['-m', 'pytest', '-q', 'test_app.py'], project, {
      GATEHOUSE_CONTROL: control.url,
    });
    expect(output).toContain('2 passed');
  } finally {
    await control.stop();
  }
});
