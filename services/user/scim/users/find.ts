import { notFound } from '@gatehouse/scim/errors';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import type { ScimCall } from '../call.ts';
import type { ScimIdentity } from './present.ts';

/** The users that a connection sees: its own, without those that SCIM has deleted. */
export const usersOf = ({ connection_id }: { connection_id: string }) => ({
  connection_id,
  'scim.user_name_key': ANY_STRING,
});

/** @throws {ScimError} 404. */
export async function findUser(
  { options, connection }: ScimCall,
  identity_id: string,
): Promise<ScimIdentity> {
  const identity = await options.db.ssoIdentities.findOne({ ...usersOf(connection), identity_id });
  if (!identity) throw notFound();
  return identity as ScimIdentity;
}
