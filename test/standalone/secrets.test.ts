import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keptSecrets } from '@gatehouse/standalone/secrets';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-secrets-'));
});
afterEach(() => rm(folder, { recursive: true }));

const SECRET = /^[A-Za-z0-9_-]{43}$/;
const mode = async (path: string) => (await stat(path)).mode & 0o777;

test('the first start makes 32 random bytes for each secret', async () => {
  const made = await keptSecrets(folder);
  expect(made).toEqual({
    JWT_SECRET: expect.stringMatching(SECRET),
    CAPTCHA_SECRET: expect.stringMatching(SECRET),
  });
  expect(made.JWT_SECRET).not.toBe(made.CAPTCHA_SECRET);
});

test('later starts find the same', async () => {
  const made = await keptSecrets(folder);
  expect(await keptSecrets(folder)).toEqual(made);
  expect(JSON.parse(await readFile(join(folder, 'secrets.json'), 'utf8'))).toEqual(made);
});

test('another folder has others', async () => {
  const [one, other] = [await keptSecrets(join(folder, 'one')), await keptSecrets(join(folder, 'other'))];
  expect(one.JWT_SECRET).not.toBe(other.JWT_SECRET);
});

test('only their owner can read them', async () => {
  const data = join(folder, 'deep', 'data');
  const umask = process.umask(0);
  await keptSecrets(data).finally(() => process.umask(umask));
  expect(await mode(join(data, 'secrets.json'))).toBe(0o600);
  expect(await mode(data)).toBe(0o700);
});

test('starts at the same moment agree', async () => {
  for (let round = 0; round < 20; round += 1) {
    const data = join(folder, String(round));
    const made = await Promise.all(Array.from({ length: 8 }, () => keptSecrets(data)));
    expect(new Set(made.map((secrets) => JSON.stringify(secrets))).size).toBe(1);
    expect(await keptSecrets(data)).toEqual(made[0]);
    expect(await readdir(data)).toEqual(['secrets.json']);
  }
});

test.each(['', '{"JWT_SECRET":', 'null', '{"JWT_SECRET":"x"}'])(
  'a file that holds %j is refused by its name, not repaired',
  async (text) => {
    const file = join(folder, 'secrets.json');
    await writeFile(file, text);
    await expect(keptSecrets(folder)).rejects.toThrow(
      `${file} does not hold the secrets; delete it to have new ones made (sessions end)`,
    );
    expect(await readFile(file, 'utf8')).toBe(text);
  },
);

test('a folder that cannot be made is told', async () => {
  await mkdir(join(folder, 'x'));
  await writeFile(join(folder, 'x', 'file'), '');
  await expect(keptSecrets(join(folder, 'x', 'file', 'data'))).rejects.toThrow(/ENOTDIR/);
});
