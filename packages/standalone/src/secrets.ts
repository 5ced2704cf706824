import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const secrets = z.object({ JWT_SECRET: z.string().min(1), CAPTCHA_SECRET: z.string().min(1) });

type Secrets = z.infer<typeof secrets>;

/**
 * Loads the secrets of a data folder, which only its owner can read. The first start generates them.
 * @throws when the file exists but is invalid: new secrets would end every session.
 */
export async function loadSecrets(folder: string): Promise<Secrets> {
  const file = join(folder, 'secrets.json');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stored = await readSecrets(file);
  if (stored) return stored;
  const random = () => randomBytes(32).toString('base64url');
  const generated: Secrets = { JWT_SECRET: random(), CAPTCHA_SECRET: random() };
  // A link appears atomically and fails if another start created the file first.
  const draft = `${file}.${random()}`;
  await writeFile(draft, `${JSON.stringify(generated, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, file);
    return generated;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readSecrets(file)) ?? generated;
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
    const remedy = 'delete it to generate new ones (this ends all sessions)';
    throw new Error(`${file} does not contain valid secrets; ${remedy}`, { cause });
  }
}
