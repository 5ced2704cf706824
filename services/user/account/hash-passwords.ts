import { parseArgs } from 'node:util';
import { loadConfig } from '@gatehouse/shared/config';
import { type Collections, connect } from '@gatehouse/shared/data/connect';
import { createPasswords, isPasswordHash } from '@gatehouse/shared/identity/passwords';
import { userCollections } from '@gatehouse/shared/identity/users';

const USAGE = `Turns every plain password of the collection into an argon2id hash, in place. Run it as often as you
like, beside running services: what is a hash already stays as it is.

  npm run hash-passwords     (reads MONGODB_URI)`;

/**
 * @param progress called after every account with how many there are and how many were plain.
 * @returns how many passwords were turned into hashes.
 */
export async function hashPasswords(
  { users }: Collections<typeof userCollections>,
  progress: (seen: number, hashed: number) => void = () => {},
): Promise<number> {
  const passwords = createPasswords();
  let seen = 0;
  let hashed = 0;
  for await (const { _id, password } of users.find({}, { projection: { password: 1 } })) {
    if (typeof password === 'string' && !isPasswordHash(password)) {
      const hash = await passwords.encode(password, 'argon2id');
      // Only if nobody has set another password meanwhile.
      const { modifiedCount } = await users.updateOne({ _id, password }, { $set: { password: hash } });
      hashed += modifiedCount;
    }
    seen += 1;
    progress(seen, hashed);
  }
  return hashed;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  try {
    const { config } = loadConfig('user', {
      JWT_SECRET: 'not used here',
      ...process.env,
      NODE_ENV: 'development',
    });
    const db = await connect(config.MONGODB_URI, userCollections, { appName: 'hash-passwords' });
    const hashed = await hashPasswords(db, (seen, done) => {
      if (seen % 1_000 === 0) console.log(`${seen} accounts, ${done} passwords hashed`);
    });
    console.log(`Done: ${hashed} passwords hashed`);
    await db.close();
  } catch (error) {
    console.error(`hash-passwords: ${(error as Error).message}`);
    process.exit(1);
  }
}
