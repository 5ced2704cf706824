import { bounded } from '@gatehouse/shared/data/bounded';
import { derivedId } from '@gatehouse/shared/derived-id';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { isResetDue } from '@gatehouse/shared/identity/enrolled';
import { newNotice, withNotice } from '@gatehouse/shared/identity/notices';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userIdOf } from '@gatehouse/shared/identity/users';
import type { WithId } from 'mongodb';
import type { FactorDependencies } from './operation.ts';

/** Milliseconds between two looks for resets that are due. */
export const INTERVAL = 60_000;

type ResetOptions = Pick<FactorDependencies, 'db' | 'now' | 'log'>;

export const createFactorResets = (options: ResetOptions): Poller =>
  createPoller({
    interval: INTERVAL,
    run: (isStopping) => carryOutResets(options, isStopping),
    log: options.log,
    failure: 'cannot remove second factors whose reset is due yet',
  });

/** Removes the second factors whose reset is due. They have not counted since then. */
export async function carryOutResets(options: ResetOptions, isStopping = () => false): Promise<void> {
  const { db, now } = options;
  while (!isStopping()) {
    const user = await bounded(db.users.findOne({ 'factor_reset.due_at': { $lte: new Date(now()) } }));
    if (!user) return;
    await removeIfDue(options, user);
  }
}

/** Removes the second factor of an account whose reset is due. */
export async function removeIfDue(
  { db, now, log }: ResetOptions,
  user: Readonly<WithId<User>>,
): Promise<void> {
  const { _id, email, factor_reset } = user;
  const user_id = userIdOf(user);
  const at = now();
  if (!factor_reset || !isResetDue(user, at)) return;
  const { due_at, reason } = factor_reset;
  const event_id = derivedId(due_at.getTime(), `factor.disable ${_id.toHexString()}`);
  // Nothing cancels a reset that is due, so the event may come before its change: a repeat stores neither twice.
  await bounded(
    auditJob(db, { id: event_id, log }, at, [
      {
        event_id,
        action: 'factor.disable',
        user_id: null,
        target: user_id === null ? {} : { user_id },
        after: { reason },
      },
    ]),
  );
  await bounded(
    db.users.updateOne(
      { _id, 'factor_reset.due_at': due_at },
      withNotice(
        { $unset: { second_factor: true, factor_reset: true, factor_guesses: true } },
        newNotice({ kind: 'totp_disabled', to: email, at, details: {} }),
      ),
    ),
  );
}
