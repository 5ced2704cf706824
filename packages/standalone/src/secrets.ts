import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Secrets {
  JWT_SECRET: string;
  CAPTCHA_SECRET: string;
}

/** The secrets of a data folder: made at its first start and kept there, readable by their owner alone. */
export async function keptSecrets(folder: string): Promise<Secrets> {
  const file = join(folder, 'secrets.json');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = () => randomBytes(32).toString('base64url');
  try {
    const made: Secrets = { JWT_SECRET: fresh(), CAPTCHA_SECRET: fresh() };
    await writeFile(file, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return JSON.parse(await readFile(file, 'utf8'));
  }
}
