import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SsoOptions } from '../dependencies.ts';
import type { CheckOutcome, ProviderSession } from '../records.ts';

type Options = Pick<SsoOptions, 'db' | 'now'>;

/** Milliseconds for which a process may ask the provider; longer than its calls take together. */
const LEASE = 20_000;
/** Milliseconds for which a call waits for another one that asks the provider. */
const PATIENCE = 12_000;
const POLL = 100;

/** The turn to ask the provider about a session, or the result of the call that had it. */
export type Turn =
  | { kind: 'ours'; id: string; session: ProviderSession }
  | { kind: 'theirs'; outcome: CheckOutcome }
  | { kind: 'ended' };

/**
 * Takes the turn to ask the provider about a session. Calls at once share one answer: a provider that replaces refresh
 * tokens takes the second use of one for theft.
 */
export async function takeTurn({ db, now }: Options, sid: string): Promise<Turn> {
  const deadline = performance.now() + PATIENCE;
  let other: string | undefined;
  for (;;) {
    const current = await db.ssoSessions.findOne({ sid });
    if (!current) return { kind: 'ended' };
    if (other !== undefined && current.checked?.id === other)
      return { kind: 'theirs', outcome: current.checked.outcome };
    const id = randomUUID();
    const session = await db.ssoSessions.findOneAndUpdate(
      { sid, $or: [{ check: { $exists: false } }, { 'check.until': { $lte: new Date(now()) } }] },
      { $set: { check: { id, until: new Date(now() + LEASE) } } },
    );
    if (session) return { kind: 'ours', id, session };
    other = current.check?.id ?? other;
    if (performance.now() > deadline) return { kind: 'theirs', outcome: 'unavailable' };
    await sleep(POLL);
  }
}

/**
 * Stores the refresh token that replaces another one. It is stored even after the turn has ended: the
 * provider no longer accepts the former one.
 */
export async function replaceToken(
  { db }: Options,
  { sid, refresh_token: former }: ProviderSession,
  refresh_token: string,
): Promise<void> {
  await db.ssoSessions.updateOne({ sid, refresh_token: String(former) }, { $set: { refresh_token } });
}

/** Ends a turn. @returns whether it was still ours: the session has not ended, and no other call has asked. */
export async function endTurn(
  { db }: Options,
  { sid, id }: { sid: string; id: string },
  outcome: CheckOutcome,
): Promise<boolean> {
  const { matchedCount } = await db.ssoSessions.updateOne(
    { sid, 'check.id': id },
    { $set: { checked: { id, outcome } }, $unset: { check: true } },
  );
  return matchedCount === 1;
}

/** Gives back a turn without a result: the next call need not wait. */
export async function dropTurn({ db }: Options, { sid, id }: { sid: string; id: string }): Promise<void> {
  await db.ssoSessions.updateOne({ sid, 'check.id': id }, { $unset: { check: true } });
}
