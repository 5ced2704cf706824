import { hourlyBudgetSpent } from '../../account/otp.ts';
import type { Database } from '../../database.ts';

/** Invitations that one person sends within an hour: enough for a department, too few for a mailing. */
const PER_HOUR = 50;
const HOUR = 3600;

/** Counts an invitation as sent, in one write. @throws {AppError} rateLimited when the hour's are spent. */
export async function spendInvitation(db: Database, user_id: string, now: number): Promise<void> {
  const seconds = Math.floor(now / 1000);
  const { matchedCount } = await db.users.updateOne(
    {
      user_id,
      $or: [
        { [`invitation_times.${PER_HOUR - 1}`]: { $exists: false } },
        { 'invitation_times.0': { $lte: seconds - HOUR } },
      ],
    },
    { $push: { invitation_times: { $each: [seconds], $slice: -PER_HOUR } } },
  );
  if (matchedCount === 1) return;
  const user = await db.users.findOne({ user_id });
  throw hourlyBudgetSpent(user?.invitation_times, seconds);
}
