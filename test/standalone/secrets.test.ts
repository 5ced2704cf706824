import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSecrets } from '@gatehouse/standalone/secrets';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { rounds } from '../fixtures/property.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const mode = async (path: string) => (await stat(path)).mode & 0o777;

test('generates 32 random bytes for each secret at the first start', async () => {
  const generated = await loadSecrets(folder);
  expect(generated).toEqual({
    JWT_SECRET: expect.stringMatching(SECRET),
    CAPTCHA_SECRET: expect.stringMatching(SECRET),
  });
  expect(generated.JWT_SECRET).not.toBe(generated.CAPTCHA_SECRET);
});

test('loads the same secrets at later starts', async () => {
  const generated = await loadSecrets(folder);
  expect(await loadSecrets(folder)).toEqual(generated);
  expect(JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8'))).toEqual(generated);
});

test('generates other secrets for another folder', async () => {
  const [one, other] = [await loadSecrets(join(folder, 'one')), await loadSecrets(join(folder, 'other'))];
  expect(one.JWT_SECRET).not.toBe(other.JWT_SECRET);
});

test('lets only the owner read them', async () => {
  const data = join(folder, 'deep', 'data');
  const umask = process.umask(0);
  await loadSecrets(data).finally(() => process.umask(umask));
  expect(await mode(join(data, 'secrets.json'))).toBe(0o600);
  expect(await mode(data)).toBe(0o700);
});

test('concurrent starts get the same secrets', async () => {
  for (let round = 0; round < rounds(20); round += 1) {
    const data = join(folder, String(round));
    const generated = await Promise.all(Array.from({ length: 8 }, () => loadSecrets(data)));
    expect(new Set(generated.map((secrets) => JSON.stringify(secrets))).size).toBe(1);
    expect(await loadSecrets(data)).toEqual(generated[0]);
    expect(await readdir(data)).toEqual(['secrets.json']);
  }
});

test.each(['', '{"JWT_SECRET":', 'null', '{"JWT_SECRET":"x"}'])(
  'rejects a file that contains %j and leaves it unchanged',
  async (text) => {
    const file = join(folder, 'secrets.json');
    await writeFile(file, text);
    await expect(loadSecrets(folder)).rejects.toThrow(
      `${file} does not contain valid secrets; delete it to generate new ones (this ends all sessions)`,
    );
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

test('rejects when the folder cannot be created', async () => {
  await mkdir(join(folder, 'x'));
  await writeFile(join(folder, 'x', 'file'), '');
  await expect(loadSecrets(join(folder, 'x', 'file', 'data'))).rejects.toThrow(/ENOTDIR/);
});
