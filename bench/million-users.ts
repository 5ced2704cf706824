import { connect } from '@gatehouse/shared/data/connect';
import { EMAIL_COLLATION } from '@gatehouse/shared/identity/users';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { compare } from './report.ts';

const SMALL = 1_000;
const LARGE = 1_000_000;
const BATCH = 10_000;
/** Milliseconds for one measurement, and operations at the same time. */
const DURATION = 2_000;
const PARALLEL = 16;

/** Reads and updates among 1,000,000 users of the standalone database, relative to 1,000. */
export async function millionUsers(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn' } });
  const open = async (name: string) => {
    const uri = new URL(gatehouse.mongodb);
    uri.pathname = `/${name}`;
    return connect(uri.href, COLLECTIONS, { appName: 'bench' });
  };
  try {
    await gatehouse.up;
    const [small, large] = [await open('bench_small'), await open('bench_large')];
    await fill(small, SMALL);
    await fill(large, LARGE);
    const operations = {
      'find by user_id': (db: Database, index: number) => db.users.findOne({ user_id: idOf(index) }),
      'find by e-mail': (db: Database, index: number) =>
        db.users.findOne({ email: emailOf(index) }, { collation: EMAIL_COLLATION }),
      update: (db: Database, index: number) =>
        db.users.updateOne({ user_id: idOf(index) }, { $set: { last_login: new Date().toISOString() } }),
    };
    for (const [name, operation] of Object.entries(operations)) {
      const rate = (db: Database, count: number) => () =>
        ratePerSecond(() => operation(db, Math.floor(Math.random() * count)));
      const [few, many] = [`${name}, of 1,000`, `${name}, of 1,000,000`];
      await compare('million-users', {
        chart: 'A million users compared with a thousand',
        unit: 'operations/s',
        rounds: 7,
        measures: { [few]: rate(small, SMALL), [many]: rate(large, LARGE) },
        ratios: [{ of: many, over: few, goal: 0.95 }],
      });
    }
    await Promise.all([small.close(), large.close()]);
  } finally {
    await gatehouse.stop();
  }
}

const idOf = (index: number): string => `User-${1_000_000 + index}`;
const emailOf = (index: number): string => `user${index}@example.com`;

async function fill(db: Database, count: number): Promise<void> {
  for (let from = 0; from < count; from += BATCH) {
    const users = Array.from({ length: Math.min(BATCH, count) }, (_, offset) => ({
      email: emailOf(from + offset),
      user_id: idOf(from + offset),
      password: `$argon2id$v=19$m=19456,t=2,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`,
      name: `User ${from + offset}`,
      verified: true,
      account_status: 'active' as const,
      payment_status: 'pending',
      'user_created_at(DATE)': '2026-01-15',
      subscription_id: 'free',
      subscription_plan: 'Free',
      subscription_date: '2026-01-15',
      created_at: '2026-01-15T09:30:00.000Z',
    }));
    await db.users.insertMany(users, { ordered: false });
  }
}

async function ratePerSecond(operation: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + DURATION;
  let done = 0;
  const worker = async () => {
    for (; performance.now() < end; done += 1) await operation();
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return done / (DURATION / 1000);
}
