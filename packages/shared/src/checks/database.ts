import { type Db, MongoClient } from 'mongodb';
import { compareIndexes } from '../data/build-indexes.ts';
import { checkOptions, checkServer } from '../data/check-server.ts';
import { clockFinding } from './clock.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const TIMEOUT = 5_000;

interface Options {
  /** What the services expect to find. */
  collections: Parameters<typeof compareIndexes>[1];
  /** Whether other services have indexes on these collections too, which are not extra. */
  isPart?: boolean;
  /** Returns Unix milliseconds. */
  now?: () => number;
}

/**
 * Looks at the server at MONGODB_URI, writing nothing.
 * @param then is called with the database if it can be reached.
 */
export async function checkDatabase(
  uri: string,
  { collections, isPart = false, now = Date.now }: Options,
  then: (db: Db) => Promise<Finding[]>,
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
    return [
      options,
      server,
      await checkClock(db, now),
      ...(await checkFeatures(db)),
      ...(await checkIndexes(db, collections, isPart)),
      ...(await then(db)),
    ];
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
  return clockFinding('MongoDB clock', { asked, answered: now(), said: new Date(localTime).getTime() });
}

/** What the server could do and does not: survive its host, and what its version has new. */
async function checkFeatures(db: Db): Promise<Finding[]> {
  const { setName, hosts = [] } = await db.command({ hello: 1 });
  const members = ok(
    'MongoDB members',
    typeof setName === 'string'
      ? `replica set ${setName} with ${hosts.length} members`
      : 'one server, no replica set',
  );
  const stored = await db
    .admin()
    .command({ getParameter: 1, featureCompatibilityVersion: 1 })
    .then((answer) => answer.featureCompatibilityVersion?.version as string | undefined)
    // The account of a service may not ask.
    .catch(() => undefined);
  if (stored === undefined || Number.parseInt(stored, 10) >= LEAST_FEATURES) return [members];
  return [
    members,
    warn(
      'MongoDB features',
      `the server still behaves as version ${stored}`,
      'once the upgrade has proven itself: db.adminCommand({ setFeatureCompatibilityVersion: "<version>", confirm: true })',
    ),
  ];
}

/** The features of MongoDB that the queries are tested with. */
const LEAST_FEATURES = 7;

async function checkIndexes(
  db: Db,
  collections: Options['collections'],
  isPart: boolean,
): Promise<Finding[]> {
  const { missing, extra } = await compareIndexes(db, collections);
  const build = 'start each service once: it builds its indexes, or names what prevents one';
  const drop = 'each costs time at every write: drop it, unless another application needs it';
  const findings = [
    ...missing.map((index) => warn('indexes', `${index} is missing`, build)),
    ...(isPart ? [] : extra).map((index) => warn('indexes', `${index} is not one of ours`, drop)),
  ];
  return findings.length === 0
    ? [ok('indexes', isPart ? 'all there' : 'all there, and no others')]
    : findings;
}
