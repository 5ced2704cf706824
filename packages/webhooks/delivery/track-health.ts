import { bounded } from '@gatehouse/shared/data/bounded';
import type { Health, Webhook } from '../records.ts';
import { afterAttempt, failsFor, healthOf, withoutFailures } from './health.ts';
import { type Claimed, endFailures, type LeaseHolder, saveHealth, type Unsaved } from './lease.ts';

/**
 * The health of a claimed webhook. It is counted in memory and saved with the writes that renew or release the lease,
 * so that a delivery costs no further write. A kill loses the counts since the last of them, a second or two, but no
 * recovery: when the database holds a `failing_since`, it is cleared before a success is recorded. So whatever happens,
 * a stored `failing_since` means that no success has been recorded since.
 */
export interface HealthTracker {
  readonly current: Health;
  attempted(delivered: boolean): void;
  /** Call before a success is recorded. */
  recover(): Promise<void>;
  /** Saves what is not saved, in a write of its own. */
  save(): Promise<void>;
  /** What a write that ends the lease has to save. */
  unsaved(): Promise<Unsaved>;
  /** Call before the webhook is read; the result takes over what somebody else changed, such as its owner. */
  reading(): (webhook: Pick<Webhook, 'health'>) => void;
  readonly failsTooLong: boolean;
}

export function trackHealth(
  worker: LeaseHolder & { disableAfter: number },
  claimed: Claimed,
  /** The present URL of the webhook. Nothing is saved if it has been replaced. */
  url: () => string,
): HealthTracker {
  const { webhook_id } = claimed;
  let current = healthOf(claimed);
  let stored = current;
  /** Counts the beginnings and the ends of writes, so it is odd during a write. */
  let writes = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  /** One write at a time, so that an older one cannot overtake. */
  function inTurn(write: () => Promise<void>): Promise<void> {
    waiting += 1;
    const next = turn
      .then(async () => {
        writes += 1;
        await bounded(write()).finally(() => {
          writes += 1;
        });
      })
      .finally(() => {
        waiting -= 1;
      });
    turn = next.catch(() => {});
    return next;
  }

  return {
    get current() {
      return current;
    },
    attempted(delivered) {
      current = afterAttempt(current, delivered, worker.now());
    },
    async recover() {
      // The common case takes no turn.
      if (waiting === 0 && stored.failing_since === null) return;
      await inTurn(async () => {
        if (stored.failing_since === null) return;
        await endFailures(worker, { webhook_id, url: url() });
        stored = withoutFailures(stored);
      });
    },
    save: () =>
      inTurn(async () => {
        if (current === stored) return;
        const saving = current;
        const unsaved = { url: url(), health: saving, stored };
        if (await saveHealth(worker, webhook_id, unsaved)) stored = saving;
      }),
    async unsaved() {
      await turn;
      return { url: url(), stored, health: current };
    },
    reading() {
      const before = writes;
      return (webhook) => {
        const present = healthOf(webhook);
        const overlaps = writes !== before || writes % 2 === 1;
        if (overlaps || Number(present.failing_since) === Number(stored.failing_since)) return;
        stored = present;
        if (present.failing_since === null) current = withoutFailures(current);
      };
    },
    get failsTooLong() {
      return failsFor(current, worker.disableAfter);
    },
  };
}
