import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const secrets = z.object({ JWT_SECRET: z.string().min(1), CAPTCHA_SECRET: z.string().min(1) });

export type Secrets = z.infer<typeof secrets>;

/**
 * The secrets of a data folder: made at its first start and kept there, readable by their owner alone.
 * @throws when the file is there and does not hold them: new ones would end every session unasked.
 */
export async function keptSecrets(folder: string): Promise<Secrets> {
  const file = join(folder, 'secrets.json');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const kept = await readSecrets(file);
  if (kept) return kept;
  const fresh = () => randomBytes(32).toString('base64url');
  const made: Secrets = { JWT_SECRET: fresh(), CAPTCHA_SECRET: fresh() };
  // Written aside and then linked, so that the file is there whole or not at all, whoever else starts now.
  const draft = `${file}.${fresh()}`;
  await writeFile(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
    return made;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readSecrets(file)) ?? made;
  } finally {
    await unlink(draft);
  }
}

async function readSecrets(file: string): Promise<Secrets | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return secrets.parse(JSON.parse(text));
  } catch (cause) {
    const remedy = 'delete it to have new ones made (sessions end)';
    throw new Error(`${file} does not hold the secrets; ${remedy}`, { cause });
  }
}
