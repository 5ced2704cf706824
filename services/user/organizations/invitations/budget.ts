import { randomUUID } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { addressKey } from '@gatehouse/shared/http/address';
import { AppError } from '@gatehouse/shared/http/errors';
import { emailKey } from '@gatehouse/shared/identity/email';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../database.ts';
import { HOUR } from '../../hourly-budget.ts';

/** CONTRACT.md §Organizations. To one recipient within a day, from one organization and from one inviter. */
const PER_RECIPIENT = 3;
/** Within an hour: enough for a department, too few for a mailing. */
const PER_INVITER = 20;
const PER_NETWORK = 30;

interface Budget {
  key: string;
  limit: number;
  /** The length of the sliding window. */
  seconds: number;
}

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

/** Counts one use in one atomic write. @throws {AppError} rateLimited when the budget is spent. */
export async function spend(
  db: Database,
  { key, limit, seconds }: Budget,
  use: { id: string; at: number },
): Promise<void> {
  const write = (upsert: boolean) =>
    db.invitationBudgets.updateOne(
      {
        key,
        $or: [{ [`uses.${limit - 1}`]: { $exists: false } }, { 'uses.0.at': { $lte: use.at - seconds } }],
      },
      {
        $push: { uses: { $each: [use], $slice: -limit } },
        $set: { expires_at: new Date((use.at + seconds) * 1000) },
      },
      { upsert },
    );
  try {
    await write(true);
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The budget exists: it is spent, or a concurrent call has just created it.
    if ((await write(false)).matchedCount === 1) return;
    const [oldest] = (await db.invitationBudgets.findOne({ key }))?.uses ?? [];
    const retryAfter = Math.max(1, (oldest?.at ?? use.at) + seconds - use.at);
    throw new AppError('rateLimited', { retryAfter, limit });
  }
}

/** The mailbox that an address reaches: without the tag after `+` and, at Gmail, without dots. */
function mailboxOf(email: string): string {
  const [local = '', domain = ''] = emailKey(email).split('@');
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  const isGmail = domain === 'gmail.com' || domain === 'googlemail.com';
  return isGmail ? `${untagged.replaceAll('.', '')}@gmail.com` : `${untagged}@${domain}`;
}
