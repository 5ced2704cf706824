import '@gatehouse/shared/safe-exit';
import { parseArgs } from 'node:util';
import { loadConfig } from '@gatehouse/shared/config';
import { type Collections, connect } from '@gatehouse/shared/data/connect';
import { createPasswords, isPasswordHash } from '@gatehouse/shared/identity/passwords';
import { userCollections } from '@gatehouse/shared/identity/users';

const USAGE = `Replaces every plain password in the users collection with its argon2id hash. It is safe to run repeatedly and
while services are running; existing hashes are left alone.

  npm run hash-passwords     (reads MONGODB_URI)`;

/**
 * Hashes every plain password, while services run.
 * @param progress called after each account with the accounts read and the passwords hashed so far.
 * @returns the number of passwords hashed.
 */
export async function hashPasswords(
  { users }: Collections<typeof userCollections>,
  progress: (seen: number, hashed: number) => void = () => {},
): Promise<number> {
  const passwords = createPasswords();
  let seen = 0;
  let hashed = 0;
  const hash = (password: string) => passwords.encode(password, 'argon2id');
  // The server closes a cursor whose batch takes longer than ten minutes.
  const records = users.find({}, { projection: { password: 1, signup_attempts: 1 }, batchSize: 500 });
  for await (const { _id, password, signup_attempts = [] } of records) {
    // Each filter leaves passwords alone that have changed meanwhile.
    if (typeof password === 'string' && !isPasswordHash(password)) {
      const change = { $set: { password: await hash(password) } };
      hashed += (await users.updateOne({ _id, password }, change)).modifiedCount;
    }
    const plain = signup_attempts.filter((attempt) => !isPasswordHash(attempt.password));
    if (plain.length > 0) {
      const replaced = await Promise.all(
        signup_attempts.map(async (attempt) =>
          plain.includes(attempt) ? { ...attempt, password: await hash(attempt.password) } : attempt,
        ),
      );
      const change = { $set: { signup_attempts: replaced } };
      const { modifiedCount } = await users.updateOne({ _id, signup_attempts }, change);
      hashed += modifiedCount * plain.length;
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
      JWT_SECRET: 'unused, but required',
      ...process.env,
      NODE_ENV: 'development',
    });
    const db = await connect(config.MONGODB_URI, userCollections, { appName: 'hash-passwords' });
    const hashed = await hashPasswords(db, (seen, hashed) => {
      if (seen % 1_000 === 0) console.log(`${seen} accounts read, ${hashed} passwords hashed`);
    });
    console.log(`Done: ${hashed} passwords hashed`);
    await db.close();
  } catch (error) {
    console.error(`hash-passwords: ${(error as Error).message}`);
    process.exit(1);
  }
}
