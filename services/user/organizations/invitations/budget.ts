import { randomUUID } from 'node:crypto';
import { addressKey } from '@gatehouse/shared/http/address';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../database.ts';
import { HOUR } from '../../hourly-budget.ts';
import { type Budget, spend } from '../../sliding-budget.ts';

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
 * Counts a mail, of an invitation or an offer, against every budget, each in one atomic write. A mail that one of them
 * refuses is taken back from the others; a crash in between leaves it counted. User_ids that nobody has count too.
 * @param now Unix milliseconds.
 * @throws {AppError} rateLimited when a budget is spent.
 */
export async function spendInvitation(
  db: Database,
  request: FastifyRequest,
  { organization_id, inviter, recipient: given }: InvitationRequest,
  now: number,
): Promise<void> {
  const id = randomUUID();
  const at = Math.floor(now / 1000);
  const recipient = 'email' in given ? mailboxOf(given.email) : given.user_id;
  const budgets: Budget[] = [
    { key: `organization ${organization_id} ${recipient}`, limit: PER_RECIPIENT, seconds: 24 * HOUR },
    { key: `inviter ${inviter} ${recipient}`, limit: PER_RECIPIENT, seconds: 24 * HOUR },
    { key: `network ${addressKey(request.ip)}`, limit: PER_NETWORK, seconds: HOUR },
    { key: `inviter ${inviter}`, limit: PER_INVITER, seconds: HOUR },
  ];
  try {
    for (const budget of budgets) await spend(db, budget, { id, at });
  } catch (error) {
    const keys = budgets.map(({ key }) => key);
    await db.invitationBudgets.updateMany({ key: { $in: keys } }, { $pull: { uses: { id } } });
    throw error;
  }
}

/** The mailbox that an address reaches: without the tag after `+` and, at Gmail, without dots. */
function mailboxOf(email: string): string {
  const [local = '', domain = ''] = emailKey(email).split('@');
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGmail ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}
