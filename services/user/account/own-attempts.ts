import type { AuditEvent } from '@gatehouse/shared/identity/audit';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { Filter, WithId } from 'mongodb';
import type { Database } from '../database.ts';

/** When an account got its address. Older records do not say; most of them have had it since they were created. */
const addressSince = ({ _id, address_since }: WithId<User>): Date => address_since ?? _id.getTimestamp();

/**
 * Matches the attempts with the address of an account that name no account: from before it had a user_id, or refused by
 * the gateway, which looks up none. Those from before the account had the address belong to an earlier holder.
 */
export const ownAttempts = (account: WithId<User>): Filter<AuditEvent> => ({
  email: emailKey(account.email),
  user_id: null,
  at: { $gte: addressSince(account) },
});

/**
 * Gives an account the attempts with its address, before the address changes: afterwards nothing else tells whose they
 * were. Those of organizations stay as they are, because a `user_id` would tell them whose address it is.
 */
export const claimAttempts = (
  { auditEvents }: Pick<Database, 'auditEvents'>,
  account: WithId<User> & { user_id: string },
) =>
  auditEvents.updateMany(
    { ...ownAttempts(account), organization_id: null },
    { $set: { user_id: account.user_id } },
  );
