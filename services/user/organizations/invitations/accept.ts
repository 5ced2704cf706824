import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import { ACTIVE, EMAIL_COLLATION, userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { WithId } from 'mongodb';
import { admit } from '../../access/admit.ts';
import { revokeGrants } from '../../access/revoke-grants.ts';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { isPending } from './present-invitation.ts';

/**
 * Accepts every invitation of a verified address. An interrupted call is completed when the address is verified
 * again or the service starts.
 * @param request the call in which this happens, for the audit.
 */
export async function acceptInvitations(
  db: Database,
  account: { user_id?: string; email: string },
  now: number,
  request?: FastifyRequest,
): Promise<void> {
  const user_id = userIdOf(account);
  if (user_id === null) return;
  const { email } = account;
  const invitations = db.memberships.find({ email: emailKey(email), ...isPending(now) });
  for await (const invitation of invitations) {
    try {
      await acceptInvitation(db, invitation, { user_id, email }, now, request);
    } catch (error) {
      // The department is full. The invitation stands, and the account is verified all the same.
      if (!(error instanceof AppError && error.reason === 'forbidden')) throw error;
    }
  }
}

/** Turns an invitation into a membership with one write, unless the user is a member already. */
export async function acceptInvitation(
  db: Database,
  { _id, membership_id, organization_id, department_id }: WithId<Membership>,
  { user_id, email }: { user_id: string; email: string },
  now: number,
  request?: FastifyRequest,
): Promise<void> {
  const pending = { _id, ...isPending(now) };
  if (await db.memberships.findOne({ department_id, user_id })) {
    await db.memberships.deleteOne(pending);
    return;
  }
  // Leftovers of an earlier membership must not come back with the new one.
  await revokeGrants(db, { organization_id, department_id }, user_id);
  await admit(db, { organization_id, department_id }, [user_id], now);
  try {
    const accepted = await db.memberships.findOneAndUpdate(
      pending,
      { $set: { user_id, joined_at: new Date(now) }, $unset: { expires_at: true } },
      { returnDocument: 'after' },
    );
    if (request && accepted)
      await audit(db, request, now, {
        action: 'invitation.accept',
        // Without a principal, the invitee has verified the address; otherwise the inviter adds an active account.
        ...(!request.principal && { user_id, email }),
        target: { user_id, invitation_id: membership_id },
        after: { role: accepted.role },
        organization_id,
        department_id,
      });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    await db.memberships.deleteOne(pending); // a concurrent call has made the user a member
  }
}

/** Addresses looked up in one query. */
const BATCH_SIZE = 1_000;

/** Completes interrupted acceptances when the service starts. Most invitees have no account yet. */
export async function acceptAllInvitations(db: Database, now: number): Promise<void> {
  const invitations = await db.memberships.find(isPending(now), { projection: { email: 1 } }).toArray();
  const addresses = [...new Set(invitations.map(({ email = '' }) => email))];
  for (let from = 0; from < addresses.length; from += BATCH_SIZE) {
    const email = { $in: addresses.slice(from, from + BATCH_SIZE) };
    const accounts = db.users.find({ email, ...ACTIVE }, { collation: EMAIL_COLLATION });
    for await (const account of accounts) await acceptInvitations(db, account, now);
  }
}
