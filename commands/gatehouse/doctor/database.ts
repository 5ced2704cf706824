import { missingIndexes } from '@gatehouse/shared/data/build-indexes';
import { checkOptions, checkServer } from '@gatehouse/shared/data/check-server';
import { type Db, MongoClient } from 'mongodb';
import { COLLECTIONS as GATEWAY_COLLECTIONS } from '../../../services/gateway/database.ts';
import { COLLECTIONS as LOGIN_COLLECTIONS } from '../../../services/login/database.ts';
import { COLLECTIONS as USER_COLLECTIONS } from '../../../services/user/database.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const TIMEOUT = 5_000;
/** Milliseconds between the clocks. Leases of deliveries last five seconds. */
const MAX_SKEW = { warn: 1_000, fail: 5_000 };

const COLLECTIONS = Object.values({ ...USER_COLLECTIONS, ...LOGIN_COLLECTIONS, ...GATEWAY_COLLECTIONS });

/**
 * Looks at the server at MONGODB_URI, writing nothing.
 * @param then is called with the database if it can be reached.
 * @param now returns Unix milliseconds.
 */
export async function checkDatabase(
  uri: string,
  then: (db: Db) => Promise<Finding[]>,
  now = Date.now,
): Promise<Finding[]> {
  let client: MongoClient;
  try {
    client = new MongoClient(uri, { appName: 'gatehouse-doctor', serverSelectionTimeoutMS: TIMEOUT });
  } catch (error) {
    return [fail('MongoDB', `MONGODB_URI ${(error as Error).message}`, 'correct MONGODB_URI')];
  }
  try {
    const options = await finding(() => checkOptions(client), {
      check: 'MongoDB address',
      found: 'reads from the primary, and waits for writes',
      advice: 'remove the option from MONGODB_URI; the services refuse to start with it',
    });
    try {
      await client.connect();
    } catch (error) {
      const advice = 'check MONGODB_URI, that MongoDB runs, and that this machine may reach it';
      return [options, fail('MongoDB', `cannot be reached: ${(error as Error).message}`, advice)];
    }
    const db = client.db();
    const { version } = await db.command({ buildInfo: 1 });
    const server = await finding(() => checkServer(db, client), {
      check: 'MongoDB version',
      found: `${version}`,
      advice: 'upgrade MongoDB, or name all members in MONGODB_URI; the services refuse to start',
    });
    return [options, server, await checkClock(db, now), ...(await checkIndexes(db)), ...(await then(db))];
  } finally {
    await client.close();
  }
}

/** Turns a check that throws words for the operator into a finding. */
async function finding(
  check: () => unknown,
  { check: name, found, advice }: Required<Pick<Finding, 'check' | 'found' | 'advice'>>,
): Promise<Finding> {
  try {
    await check();
    return ok(name, found);
  } catch (error) {
    return fail(name, (error as Error).message, advice);
  }
}

/** Compares the clock of this machine with that of MongoDB, which also deletes what has expired. */
async function checkClock(db: Db, now: () => number): Promise<Finding> {
  const asked = now();
  const { localTime } = await db.command({ hello: 1 });
  const middle = (asked + now()) / 2;
  const skew = Math.round(Math.abs(new Date(localTime).getTime() - middle));
  const advice =
    'synchronize the clocks of all hosts (chrony or systemd-timesyncd); tokens, codes and leases need them';
  const found = `${skew} ms away from the clock of this machine`;
  if (skew >= MAX_SKEW.fail) return fail('MongoDB clock', found, advice);
  return skew >= MAX_SKEW.warn ? warn('MongoDB clock', found, advice) : ok('MongoDB clock', found);
}

async function checkIndexes(db: Db): Promise<Finding[]> {
  const missing = await missingIndexes(db, COLLECTIONS);
  const advice = 'start each service once: it builds its indexes, or names what prevents one';
  return missing.length === 0
    ? [ok('indexes', 'all there')]
    : missing.map((index) => warn('indexes', `${index} is missing`, advice));
}
