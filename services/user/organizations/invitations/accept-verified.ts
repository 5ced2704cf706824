import { AppError } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import { createFeatures, ensureFeatures } from '@gatehouse/shared/identity/features';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { FastifyRequest } from 'fastify';
import type { Filter, WithId } from 'mongodb';
import { closedAmong } from '../../access/archived.ts';
import { isGood } from '../../access/memberships/inviter.ts';
import { joinByInvitation } from '../../access/memberships/join.ts';
import { isPending } from '../../access/memberships/states.ts';
import type { Membership } from '../../access/records.ts';
import type { Database } from '../../database.ts';

/**
 * Gives a verified account its features. If the verification activated it, also accepts the invitations to its address:
 * verifying an invited address is consent to the invitations that it has by then; later ones wait for an answer. One
 * last write changes both marks on the account, so the next verification or service start completes an interrupted
 * call.
 */
export async function completeActivation(
  db: Database,
  account: WithId<User>,
  now: number,
  request?: FastifyRequest,
): Promise<void> {
  const { _id, activated_at } = account;
  if (!activated_at) return ensureFeatures(db, account, now);
  const user_id = userIdOf(account);
  if (user_id !== null) await createFeatures(db, user_id, now);
  await acceptAll(db, account, { granted_at: { $lte: activated_at.toISOString() } }, now, request);
  await db.users.updateOne(
    { _id, activated_at },
    { $unset: { activated_at: true }, ...(user_id !== null && { $set: { features_assigned: true } }) },
  );
}

/** Completes what was interrupted before this start. */
export async function completeActivations(db: Database, now: number): Promise<void> {
  const activated = db.users.find({ activated_at: { $gt: new Date(0) } });
  for await (const account of activated) await completeActivation(db, account, now);
}

/** Accepts the invitations that an address had when an account changed to it and verified it. */
export const acceptEarlierInvitations = (
  db: Database,
  account: Pick<User, 'email' | 'user_id'>,
  verified_at: Date,
  now: number,
  request?: FastifyRequest,
): Promise<void> => acceptAll(db, account, { granted_at: { $lte: verified_at.toISOString() } }, now, request);

/**
 * Accepts the invitations of one organization to an address in a domain that it has verified. The organization decides
 * about these accounts; invitations of others wait for an answer.
 */
export const acceptOwnInvitations = (
  db: Database,
  account: Pick<User, 'email' | 'user_id'>,
  organization_id: string,
  now: number,
  request: FastifyRequest,
): Promise<void> => acceptAll(db, account, { organization_id }, now, request);

async function acceptAll(
  db: Database,
  account: Pick<User, 'email' | 'user_id'>,
  condition: Filter<Membership>,
  now: number,
  request?: FastifyRequest,
): Promise<void> {
  const user_id = userIdOf(account);
  if (user_id === null) return;
  const { email } = account;
  const invitee = { user_id, email: emailKey(email) };
  const invitations = db.memberships.find({ email: invitee.email, ...isPending(now), ...condition });
  for await (const invitation of invitations) {
    // An archived place accepts no members. The invitation stands, for a restore.
    if ((await closedAmong(db, [invitation]))(invitation)) continue;
    if (!(await isGood(db, invitation))) continue;
    const joined = await joinByInvitation(db, invitation, invitee, { now, condition }).catch(
      (error: unknown) => {
        // The department is full. The invitation stands, and the account is verified all the same.
        if (error instanceof AppError && error.reason === 'forbidden') return null;
        throw error;
      },
    );
    if (!joined || !request) continue;
    const { membership_id, organization_id, department_id, role } = joined;
    await audit(db, request, now, {
      action: 'invitation.accept',
      user_id,
      email,
      target: { user_id, invitation_id: membership_id, email: invitee.email },
      after: { role },
      organization_id,
      department_id,
    });
  }
}
