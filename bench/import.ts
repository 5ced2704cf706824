import { Readable } from 'node:stream';
import { connect } from '@gatehouse/shared/data/connect';
import { createLogger } from '@gatehouse/shared/http/logger';
import { newFeatures } from '@gatehouse/shared/identity/features';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { importPeople } from '../services/user/import/import-people.ts';
import { newUser } from '../services/user/import/new-user.ts';
import { checkPerson } from '../services/user/import/person.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { compare, LIMITS } from './report.ts';

const PEOPLE = 20_000;
const BATCH = 500;

const personAt = (index: number) => ({
  email: `person${index}@example.com`,
  verified: true,
  name: `Person ${index}`,
  password_hash: `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'A'.repeat(43)}`,
});

/** An import of people with argon2id hashes, relative to insertMany of the same accounts and features records. */
export async function importing(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  const into = async (write: (db: Database) => Promise<unknown>): Promise<number> => {
    const uri = new URL(gatehouse.mongodb);
    uri.pathname = `/bench_${crypto.randomUUID()}`;
    const db = await connect(uri.href, COLLECTIONS, { appName: 'bench' });
    try {
      const began = performance.now();
      await write(db);
      return PEOPLE / ((performance.now() - began) / 1000);
    } finally {
      await db.close();
    }
  };
  try {
    await gatehouse.up;
    await compare('import', {
      chart: LIMITS,
      unit: 'people/s',
      rounds: 5,
      measures: {
        import: () => into(importAll),
        insertMany: () => into((db) => insertAll(db)),
      },
      ratios: [{ of: 'import', over: 'insertMany', goal: 0.5 }],
    });
  } finally {
    await gatehouse.stop();
  }
}

const importAll = (db: Database) =>
  importPeople({
    db,
    source: Readable.from(lines()),
    from: 'gatehouse',
    now: Date.now,
    log: createLogger('bench', 'silent'),
  });

function* lines() {
  for (let index = 0; index < PEOPLE; index += 1) yield Buffer.from(`${JSON.stringify(personAt(index))}\n`);
}

async function insertAll(db: Database): Promise<void> {
  for (let from = 0; from < PEOPLE; from += BATCH) {
    const users = Array.from({ length: BATCH }, (_, offset) => {
      const user_id = `User-${100_000 + from + offset}`;
      const { user } = newUser(1, checkPerson(personAt(from + offset)), 'gatehouse', new Date());
      return { ...user, user_id, features_assigned: true };
    });
    await db.features.insertMany(
      users.map(({ user_id }) => newFeatures(user_id, Date.now())),
      { ordered: false },
    );
    await db.users.insertMany(users, { ordered: false });
  }
}
