import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { missingAttributes, type Profile } from '../profile.ts';

/** Stores which attributes a login lacks, for the test of the connection; seldom a write. */
export async function rememberMissing(
  { db }: Pick<SsoOptions, 'db'>,
  { connection_id, missing_attributes }: Connection,
  profile: Profile,
): Promise<void> {
  const missing = missingAttributes(profile);
  if (missing_attributes?.join() === missing.join()) return;
  await db.ssoConnections.updateOne({ connection_id }, { $set: { missing_attributes: missing } });
}
