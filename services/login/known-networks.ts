import { createHash } from 'node:crypto';
import { addressKey } from '@gatehouse/shared/http/address';
import { type Flows, networkFlows } from '@gatehouse/shared/identity/fair-queue';
import type { User } from '@gatehouse/shared/identity/users';
import type { Collection, WithId } from 'mongodb';

/** Networks of an account that are remembered: home, work and a few more. */
const MAX_NETWORKS = 8;

/** Names a network on the record of an account, without showing the address at sight. */
const networkId = ({ _id }: Pick<WithId<User>, '_id'>, ip: string): string =>
  createHash('sha256')
    .update(`${_id.toHexString()} ${addressKey(ip)}`)
    .digest('base64url')
    .slice(0, 16);

/**
 * The flows of a login from a network of the account's recent logins; undefined from any other. The owner does not wait
 * behind a flood of guesses from elsewhere, which has the flow of the account.
 */
export function ownerFlows(user: WithId<User> | null, ip: string): Flows | undefined {
  const id = user && networkId(user, ip);
  if (!id || !user.login_networks?.includes(id)) return undefined;
  return [{ name: `owner ${user._id.toHexString()} ${id}`, share: 1 }, ...networkFlows(ip)];
}

/** Remembers the network of a login. It costs a write only for a new network. */
export async function rememberNetwork(
  users: Collection<User>,
  user: WithId<User>,
  ip: string,
): Promise<void> {
  const id = networkId(user, ip);
  if (user.login_networks?.includes(id)) return;
  await users.updateOne(
    { _id: user._id, login_networks: { $ne: id } },
    { $push: { login_networks: { $each: [id], $slice: -MAX_NETWORKS } } },
  );
}
