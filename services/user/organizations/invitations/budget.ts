import type { Database } from '../../database.ts';
import { budgetLeft, hourlyBudgetSpent, spendBudget } from '../../hourly-budget.ts';

/** Invitations that one user may send within an hour: enough for a department, too few for a mailing. */
const PER_HOUR = 50;

/** Counts an invitation as sent, in one write. @throws {AppError} rateLimited when the hourly budget is spent. */
export async function spendInvitation(db: Database, user_id: string, now: number): Promise<void> {
  const seconds = Math.floor(now / 1000);
  const { matchedCount } = await db.users.updateOne(
    { user_id, ...budgetLeft('invitation_times', PER_HOUR, seconds) },
    { $push: spendBudget('invitation_times', PER_HOUR, seconds) },
  );
  if (matchedCount === 1) return;
  const user = await db.users.findOne({ user_id });
  throw hourlyBudgetSpent(user?.invitation_times, seconds);
}
