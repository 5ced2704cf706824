import type { Connection } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { missingAttributes, type Profile } from '../profile.ts';

/** Records the attributes missing from a login, for the connection test. Writes only on change. */
export async function rememberMissing(
  { db }: Pick<SsoOptions, 'db'>,
  { connection_id, missing_attributes }: Connection,
  profile: Profile,
): Promise<void> {
  const missing = missingAttributes(profile);
  if (missing_attributes?.join() === missing.join()) return;
  await db.ssoConnections.updateOne({ connection_id }, { $set: { missing_attributes: missing } });
}
