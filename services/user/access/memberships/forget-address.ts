import type { Database } from '../../database.ts';

/**
 * Makes the memberships of a user whose address has changed forget the one that was invited: the former mailbox may get
 * another owner, and only organizations that have verified the new domain may know the new address.
 */
export const forgetInvitedAddress = (db: Database, user_id: string, email: string) =>
  db.memberships.updateMany({ user_id, email: { $exists: true, $ne: email } }, { $unset: { email: true } });
