import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { emailKey } from '@gatehouse/shared/identity/email';
import { ACTIVE, EMAIL_COLLATION } from '@gatehouse/shared/identity/users';
import { forgetGrants } from '../../access/revoke-grants.ts';
import type { Database } from '../../database.ts';
import { isPending } from './present-invitation.ts';

/**
 * Makes an account whose address is verified a member wherever the address was invited. An invitation becomes a
 * membership by one write, so nobody is half a member; what was cut off is made up at the next verification of
 * the address or at a start.
 */
export async function acceptInvitations(
  db: Database,
  { user_id, email }: { user_id?: string; email: string },
  now: number,
): Promise<void> {
  if (typeof user_id !== 'string') return;
  const invitations = db.memberships.find({ email: emailKey(email), ...isPending(now) });
  for await (const { _id, organization_id, department_id } of invitations) {
    const pending = { _id, ...isPending(now) };
    if (await db.memberships.findOne({ department_id, user_id })) {
      await db.memberships.deleteOne(pending);
      continue;
    }
    await forgetGrants(db, { organization_id, department_id }, user_id);
    try {
      await db.memberships.updateOne(pending, {
        $set: { user_id, joined_at: new Date(now) },
        $unset: { expires_at: true },
      });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      await db.memberships.deleteOne(pending); // he has become a member meanwhile, by another way
    }
  }
}

/** Addresses whose accounts one question asks for. */
const AT_ONCE = 1_000;

/** Makes up, at a start, what a kill left undone. Of nearly all who wait, nobody has an account. */
export async function acceptAllInvitations(db: Database, now: number): Promise<void> {
  const invitations = await db.memberships.find(isPending(now), { projection: { email: 1 } }).toArray();
  const waiting = [...new Set(invitations.map(({ email = '' }) => email))];
  for (let from = 0; from < waiting.length; from += AT_ONCE) {
    const email = { $in: waiting.slice(from, from + AT_ONCE) };
    const accounts = db.users.find({ email, ...ACTIVE }, { collation: EMAIL_COLLATION });
    for await (const account of accounts) await acceptInvitations(db, account, now);
  }
}
