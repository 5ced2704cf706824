import type { Database } from '../../database.ts';
import { isInvitation } from './states.ts';

/** A person whose account is being deleted. */
interface Forgotten {
  user_id: string;
  /** In lower case. */
  email: string;
  /** Invitations to the address that are made later are for whoever has it then. */
  before: Date;
}

/**
 * Deletes the invitations that a person has received or made. In silence, because withdrawing one would tell an
 * organization whose address it is.
 */
export async function forgetInvitations(db: Database, { user_id, email, before }: Forgotten): Promise<void> {
  await Promise.all([
    db.memberships.deleteMany({ ...isInvitation, email, granted_at: { $lte: before.toISOString() } }),
    db.memberships.deleteMany({ ...isInvitation, invited_id: user_id }),
    db.memberships.deleteMany({ ...isInvitation, granted_by: user_id, valid_until: { $exists: true } }),
    db.organizations.updateMany({ 'offers.user_id': user_id }, { $pull: { offers: { user_id } } }),
  ]);
}
