import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createModules } from '../../packages/account-pages/server/assets.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-modules-'));
});
afterAll(() => rm(folder, { recursive: true }));

const file = (name: string) => join(folder, name);

test('serves modules without types and without comments on lines of their own', async () => {
  const source =
    "/** One. */\nexport const one: number = 1;\n// Two.\n  /*\n   * Three.\n   */\nexport const two = '// no comment'; // kept\n";
  await writeFile(file('commented.ts'), source);
  const { asset } = await createModules().load(pathToFileURL(file('commented.ts')));
  const { body } = await asset.encoded('identity');
  expect(body.toString()).toBe(
    "export const one         = 1;\nexport const two = '// no comment'; // kept\n",
  );
});

test('loads a module whose import could not be read before', async () => {
  const modules = createModules();
  await writeFile(file('main.ts'), "import { one } from './one.ts';\n");
  const main = pathToFileURL(file('main.ts'));
  await expect(modules.load(main)).rejects.toThrow('ENOENT');
  expect(await modules.all()).toEqual([]);
  await writeFile(file('one.ts'), 'export const one: number = 1;\n');
  const { asset, closure } = await modules.load(main);
  const loaded = (await modules.all()).map((module) => module.asset.path);
  expect(closure).toEqual(new Set(loaded));
  expect(loaded).toContain(asset.path);
});
