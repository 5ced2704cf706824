import { HOUR } from '@gatehouse/shared/data/hourly-budget';
import { networkBudgets, spendAll } from '@gatehouse/shared/data/sliding-budget';
import { mailboxOf } from '@gatehouse/shared/identity/mailbox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../database.ts';

/** CONTRACT.md §Organizations. To one recipient within a day, from one organization and from one inviter. */
const PER_RECIPIENT = 3;
/** Within an hour: enough for a department, too few for a mailing. */
const PER_INVITER = 20;
const PER_NETWORK = 30;

interface InvitationRequest {
  organization_id: string;
  inviter: string;
  recipient: { email: string } | { user_id: string };
}

/**
 * Counts a mail, of an invitation or an offer, against every budget. User_ids without an account count too.
 * @param now Unix milliseconds.
 * @throws {AppError} rateLimited when a budget is spent.
 */
export async function spendInvitation(
  db: Database,
  request: FastifyRequest,
  { organization_id, inviter, recipient: given }: InvitationRequest,
  now: number,
): Promise<void> {
  const recipient = 'email' in given ? mailboxOf(given.email) : given.user_id;
  await spendAll(
    db,
    [
      { key: `organization ${organization_id} ${recipient}`, limit: PER_RECIPIENT, seconds: 24 * HOUR },
      { key: `inviter ${inviter} ${recipient}`, limit: PER_RECIPIENT, seconds: 24 * HOUR },
      ...networkBudgets('network', request.ip, PER_NETWORK),
      { key: `inviter ${inviter}`, limit: PER_INVITER, seconds: HOUR },
    ],
    now,
  );
}
