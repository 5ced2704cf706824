import { randomUUID } from 'node:crypto';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import type { Filter } from 'mongodb';
import type { Database } from '../../database.ts';
import type { Membership } from '../records.ts';
import { revokeSelfGrants } from '../revoke-grants.ts';
import { rolesOf } from '../roles.ts';
import { lapseInvitationsBy } from './lapse-invitations.ts';

/**
 * A lowered role must not leave behind what its holder granted themselves. The write that lowers it, or one before
 * it, also marks the memberships concerned. The mark goes once the grants are revoked; after a crash, the start of
 * a service completes what is marked. Each write has its own mark, because none may remove that of a later one.
 */
export const newRevocation = (): { revocation: string } => ({ revocation: randomUUID() });

/**
 * Revokes, for each marked membership, the self-granted roles above the role that its user has now, and lets the
 * invitations lapse that they may not make any more. The mark of an Owner of the organization stays, because another
 * call may be removing them.
 */
export async function endSelfGrants(db: Database, marked: Filter<Membership>): Promise<void> {
  const memberships = db.memberships.find({ revocation: ANY_STRING, ...marked });
  for await (const { _id, organization_id, department_id, user_id, revocation } of memberships) {
    if (user_id === undefined || revocation === undefined) continue;
    if ((await rolesOf(db, user_id)).owned.has(organization_id)) continue;
    await lapseInvitationsBy(db, { organization_id, user_id });
    await revokeSelfGrants(db, { organization_id, department_id }, user_id);
    await db.memberships.updateOne({ _id, revocation }, { $unset: { revocation: true } });
  }
}
