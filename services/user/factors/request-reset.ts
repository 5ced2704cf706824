import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, line, requiredText } from '@gatehouse/shared/http/fields';
import { isEnrolled } from '@gatehouse/shared/identity/enrolled';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { WithId } from 'mongodb';
import { z } from 'zod';
import type { Database } from '../database.ts';
import { operation } from './operation.ts';

/** Milliseconds in which the person can cancel a reset. */
const DELAY = 24 * 3_600_000;

const resetRecord = z
  .object({ user_id: z.string(), reset_at: z.string().meta({ format: 'date-time' }) })
  .meta({
    description: 'The reset that is to come',
    examples: [{ user_id: 'User-483920', reset_at: '2026-01-16T09:30:00.000Z' }],
  });

export const requestReset = operation('POST /internal/factor-reset', {
  needs: 'service key',
  summary: 'Reset the second factor of an account',
  description:
    'For operators, when a person has lost their device and the recovery codes. The second factor ends a day later. The person is told by mail at once, and cancels it by using a code before. A repeated call changes nothing and answers the date of the first.',
  body: jsonBody({
    user_id: requiredText,
    reason: line(500).meta({ description: 'For the audit, which the person can read' }),
  }).meta({ examples: [{ user_id: 'User-483920', reason: 'Lost phone, identity checked by video call' }] }),
  returns: resetRecord,
  fails: ['notFound'],
  audits: ['factor.reset'],
  async handle({ db, now, wakeNotices, body: { user_id, reason }, audit }) {
    const user = await db.users.findOne({ user_id });
    const reset = user && (await resetFactor(db, user, reason, now()));
    if (!reset) throw new AppError('notFound', { text: 'No account with a second factor has this user_id' });
    const reset_at = reset.due_at.toISOString();
    if (reset.isNew) {
      wakeNotices();
      await audit('factor.reset', { target: { user_id }, after: { reason, reset_at } });
    }
    return { user_id, reset_at };
  },
});

/**
 * Lets the second factor of an account end a day later, and tells its person.
 * @returns when it ends, and whether this call has asked for it first; undefined if there is no second factor.
 */
export async function resetFactor(
  { users }: Pick<Database, 'users'>,
  user: WithId<User>,
  reason: string,
  now: number,
): Promise<{ due_at: Date; isNew: boolean } | undefined> {
  if (!isEnrolled(user, now)) return undefined;
  const due_at = new Date(now + DELAY);
  const { matchedCount } = await users.updateOne(
    { _id: user._id, 'second_factor.id': user.second_factor.id, factor_reset: { $exists: false } },
    withNotice(
      { $set: { factor_reset: { due_at, reason } } },
      newNotice({
        kind: 'factor_reset_requested',
        to: user.email,
        at: now,
        details: { effective_at: due_at },
      }),
    ),
  );
  if (matchedCount === 1) return { due_at, isNew: true };
  const current = await users.findOne({ _id: user._id });
  return current?.factor_reset && { due_at: current.factor_reset.due_at, isNew: false };
}
