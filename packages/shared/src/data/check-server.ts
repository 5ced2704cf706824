import type { Db, MongoClient, MongoOptions } from 'mongodb';

/** The first of the major versions that are tested. */
const LEAST_VERSION = 7;

interface Rule {
  option: string;
  given: (options: MongoOptions) => unknown;
  /** The only value that the address may give; it need not give one. */
  only: unknown;
  why: string;
}

const RULES: Rule[] = [
  {
    option: 'readPreference',
    given: ({ readPreference }) => readPreference.mode,
    only: 'primary',
    why: 'a secondary may not know yet that a session has ended',
  },
  {
    option: 'readConcernLevel',
    given: ({ readConcern }) => readConcern?.level,
    only: 'majority',
    why: 'services read with majority, which no failover takes back',
  },
  {
    option: 'w',
    given: ({ writeConcern }) => writeConcern?.w,
    only: 'majority',
    why: 'services write with majority, because a failover may take back other writes, such as a logout',
  },
  {
    option: 'journal',
    given: ({ writeConcern }) => writeConcern?.journal,
    only: true,
    why: 'a crash may take back a write, such as a logout, that is only in memory',
  },
  {
    option: 'retryWrites',
    given: ({ retryWrites }) => retryWrites,
    only: true,
    why: 'a lost connection would leave open whether a write took place',
  },
  {
    option: 'retryReads',
    given: ({ retryReads }) => retryReads,
    only: true,
    why: 'each election would fail calls that the driver can repeat',
  },
];

/**
 * Refuses an address that asks for less, or for something else, than services enforce. Overriding it without a word
 * would hide from the operator what happens.
 * @throws {Error} with a message for the operator.
 */
export function checkOptions({ options }: MongoClient): void {
  for (const { option, given, only, why } of RULES) {
    const value = given(options);
    if (value !== undefined && value !== only)
      throw new Error(`MONGODB_URI must not set ${option}=${value}: ${why}`);
  }
}

/** @throws {Error} if the server is older than MongoDB 7, or is one member that stands for a whole replica set. */
export async function checkServer(db: Db, { options }: MongoClient): Promise<void> {
  const [{ version, versionArray }, { hosts }] = await Promise.all([
    db.command({ buildInfo: 1 }),
    db.command({ hello: 1 }),
  ]);
  if (Number(versionArray?.[0]) < LEAST_VERSION)
    throw new Error(`MongoDB ${version} is too old: Gatehouse needs MongoDB ${LEAST_VERSION} or newer`);
  // The driver reads from such a member also when it has become a secondary.
  if (options.directConnection && hosts?.length > 1)
    throw new Error(
      'MONGODB_URI must not set directConnection=true for one of several members: name all of them, and replicaSet',
    );
}
