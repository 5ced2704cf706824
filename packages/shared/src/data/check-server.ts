import type { Db, MongoClient } from 'mongodb';

/** The first of the major versions that are tested. */
const LEAST_VERSION = 7;

/**
 * Refuses settings of the connection under which a session that has ended could pass, or a write could be lost.
 * @throws {Error} with a message for the operator.
 */
export function checkOptions({ options }: MongoClient): void {
  const { readPreference, readConcern, writeConcern } = options;
  if (readPreference.mode !== 'primary')
    throw new Error(
      `MONGODB_URI must not set readPreference=${readPreference.mode}: a secondary may not know yet that a session has ended`,
    );
  if (readConcern?.level === 'available')
    throw new Error(
      'MONGODB_URI must not set readConcernLevel=available: it may return a session as it was before it ended',
    );
  if (writeConcern?.w === 0)
    throw new Error(
      'MONGODB_URI must not set w=0: a write that is not acknowledged, such as a logout, may be lost',
    );
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
