import { emailKey } from '@gatehouse/shared/identity/email';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { forgetInvitedAddress } from '../access/memberships/forget-address.ts';
import type { Database } from '../database.ts';
import { acceptEarlierInvitations } from '../organizations/invitations/accept-verified.ts';

/**
 * Makes what holds the address of an account follow a change: memberships forget the former address, and invitations to
 * a new one that was just verified are accepted. Undoing a change unlinks what was linked since. The last write removes the mark, so the next start of the service
 * completes an interrupted call.
 */
export async function followChangedAddress(
  db: Database,
  account: WithId<User>,
  now: number,
  request?: FastifyRequest,
): Promise<void> {
  const { _id, email, address_changed } = account;
  const user_id = userIdOf(account);
  if (!address_changed || user_id === null) return;
  const { at, accepts, undoes } = address_changed;
  await forgetInvitedAddress(db, user_id, emailKey(email));
  if (undoes) await unlinkSince(db, user_id, undoes);
  if (accepts) await acceptEarlierInvitations(db, account, at, now, request);
  await db.users.updateOne(
    { _id, 'address_changed.at': at },
    { $unset: { address_changed: true }, $pull: { email_undos: { until: { $lte: new Date(now) } } } },
  );
}

/** Ends what organizations of a later address have linked: they would go on to manage the account. */
async function unlinkSince(db: Database, user_id: string, since: Date): Promise<void> {
  const linked = { user_id, created_at: { $gt: since } };
  const connection_id = { $in: await db.ssoIdentities.distinct('connection_id', linked) };
  await db.ssoSessions.deleteMany({ connection_id, user_id });
  await db.ssoIdentities.deleteMany(linked);
}

/** Completes what was interrupted before this start. */
export async function followChangedAddresses(db: Database, now: number): Promise<void> {
  const changed = db.users.find({ 'address_changed.at': { $gt: new Date(0) } });
  for await (const account of changed) await followChangedAddress(db, account, now);
}
