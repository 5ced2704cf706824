import { connect } from '@gatehouse/shared/data/connect';
import { EMAIL_COLLATION } from '@gatehouse/shared/identity/users';
import { nameWords } from '../services/user/admin/people/name-words.ts';
import { COLLECTIONS, type Database } from '../services/user/database.ts';
import { send } from '../test/fixtures/http.ts';
import { launch } from '../test/fixtures/launcher.ts';
import { accountRecord, bearerOf } from '../test/fixtures/members.ts';
import { JWT_SECRET } from '../test/fixtures/services.ts';
import { compare } from './report.ts';

const PEOPLE = 1_000_000;
const BATCH = 5_000;
/** Milliseconds for one measurement, and searches at the same time. */
const DURATION = 3_000;
const PARALLEL = 2;
/** Milliseconds that 95 of 100 searches must take at most. */
const GOAL = 50;
/** People on a page. */
const LIMIT = 20;

/** The ways to search, and the least that each takes: the same people by one query of the driver, by its index. */
const SEARCHES: Record<
  string,
  { text: (index: number) => string; bare: (db: Database, text: string) => Promise<unknown> }
> = {
  'by e-mail prefix': {
    text: (index) => `person${index}`,
    bare: ({ users }, text) =>
      users
        .find(
          // The embedded database bounds an index with a collation by the pattern, MongoDB by the range.
          { email: { $gte: text, $lt: `${text}\uffff`, $regex: `^${text}`, $options: 'i' } },
          { collation: EMAIL_COLLATION, hint: { email: 1 }, limit: LIMIT },
        )
        .toArray(),
  },
  'by name': {
    text: (index) => `family${index}`,
    bare: ({ users }, text) => users.find({ name_words: { $regex: `^${text}` } }, { limit: LIMIT }).toArray(),
  },
  'by user_id': {
    text: (index) => idOf(index),
    bare: ({ users }, user_id) => users.findOne({ user_id }),
  },
};

/** Searches of operators among 1,000,000 people, relative to a bare query of the driver by the same index. */
export async function adminSearch(): Promise<void> {
  const gatehouse = await launch({ env: { LOG_LEVEL: 'warn', JWT_SECRET } });
  try {
    await gatehouse.up;
    const db = await connect(gatehouse.mongodb, COLLECTIONS, { appName: 'bench' });
    await fill(db);
    const headers = { authorization: await operator(db) };
    for (const [name, { text, bare }] of Object.entries(SEARCHES)) {
      const times: number[] = [];
      const api = async (searched: string) => {
        const began = performance.now();
        const url = `${gatehouse.user}/api/v1/admin/people?search=${encodeURIComponent(searched)}&limit=${LIMIT}`;
        const { status, body } = await send(url, { headers });
        times.push(performance.now() - began);
        if (status !== 200 || body.data.length === 0) throw new Error(`${url} answers ${status}`);
      };
      const rate = (search: (searched: string) => Promise<unknown>) => () =>
        ratePerSecond(() => search(text(100_000 + Math.floor(Math.random() * (PEOPLE - 100_000)))));
      const [ours, driver] = [`search ${name}`, `query ${name}`];
      await rate(api)();
      times.length = 0;
      await compare('admin-search', {
        unit: 'searches/s',
        rounds: 3,
        measures: { [ours]: rate(api), [driver]: rate((searched) => bare(db, searched)) },
        ratios: [{ of: ours, over: driver, goal: 0.5 }],
      });
      const p95 = times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? 0;
      console.log(`  ${ours}: 95 of 100 within ${p95.toFixed(1)} ms, goal ${GOAL}`);
    }
    await db.close();
  } finally {
    await gatehouse.stop();
  }
}

const idOf = (index: number): string => `User-${1_000_000 + index}`;

async function fill(db: Database): Promise<void> {
  for (let from = 0; from < PEOPLE; from += BATCH) {
    const users = Array.from({ length: BATCH }, (_, offset) => {
      const index = from + offset;
      const name = `Given${index % 1_000} Family${index}`;
      return accountRecord({
        email: `person${index}@example.com`,
        user_id: idOf(index),
        name,
        name_words: nameWords(name),
      });
    });
    await db.users.insertMany(users, { ordered: false });
  }
}

/** The bearer of an operator of the level support. */
async function operator({ operators }: Database): Promise<string> {
  const [user_id, email] = [idOf(0), 'person0@example.com'];
  await operators.insertOne({
    _id: user_id,
    level: 'support',
    added_at: new Date(),
    added_by: 'command line',
  });
  return bearerOf({ email, user_id }, Date.now(), { mfa: true, lifetime: 3_600 });
}

async function ratePerSecond(search: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + DURATION;
  let done = 0;
  const worker = async () => {
    for (; performance.now() < end; done += 1) await search();
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  return done / (DURATION / 1_000);
}
