import { readFile } from 'node:fs/promises';
import { emailKey } from '@gatehouse/shared/identity/email';
import { parse } from 'yaml';
import { type Seed, type SeedInput, seedSchema } from './schema.ts';

/** A seed that cannot be used. The message has a line for each fault, with its path. */
export class SeedError extends Error {}

/** Reads and checks a seed. @param seed an object, or the path of a YAML or JSON file. @throws {SeedError} */
export async function readSeed(seed: SeedInput | string): Promise<Seed> {
  const source = typeof seed === 'string' ? `${seed}: ` : '';
  const { success, data, error } = seedSchema.safeParse(
    typeof seed === 'string' ? await readYaml(seed) : seed,
  );
  if (!success)
    throw new SeedError(
      error.issues.map(({ path, message }) => `${source}${pathOf(path)}: ${message}`).join('\n'),
    );
  const keys = data.people.map(({ email }) => emailKey(email));
  const twice = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (twice >= 0) throw new SeedError(`${source}people[${twice}].email: ${keys[twice]} is in the seed twice`);
  return data;
}

async function readYaml(file: string): Promise<unknown> {
  try {
    // An empty file is an empty seed.
    return parse(await readFile(file, 'utf8')) ?? {};
  } catch (error) {
    throw new SeedError(`${file}: ${(error as Error).message}`);
  }
}

/** Writes a path as code would, such as `people[2].email`. */
export const pathOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : `${text}${text && '.'}${String(key)}`),
    '',
  ) || 'the seed';
