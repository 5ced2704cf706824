import { isDelivered, type Outcome } from './send.ts';

/** How much a receiver can take, judged by its latest answers. */
export interface ReceiverState {
  /** Attempts allowed at the same time. */
  readonly concurrency: number;
  readonly consecutiveFailures: number;
  /** Unix milliseconds before which nothing more is sent; null when nothing holds the queue back. */
  readonly heldUntil: number | null;
  /** The receiver answered 410. */
  readonly gone: boolean;
}

const MAX_CONCURRENCY = 16;
/** Consecutive failures after which the whole queue pauses, for up to `MAX_PAUSE` milliseconds. */
const FAILURES_BEFORE_PAUSE = 5;
const MAX_PAUSE = 30_000;

export const INITIAL_STATE: ReceiverState = {
  concurrency: 1,
  consecutiveFailures: 0,
  heldUntil: null,
  gone: false,
};

/**
 * Slow start: concurrency begins at one, doubles with each success and drops back to one on a failure, so that a
 * receiver in trouble is not pushed.
 * @param now Unix milliseconds.
 */
export function afterAttempt(
  state: ReceiverState,
  { status, retryAfter }: Pick<Outcome, 'status' | 'retryAfter'>,
  now: number,
  random = Math.random(),
): ReceiverState {
  if (isDelivered({ status })) {
    const concurrency = Math.min(MAX_CONCURRENCY, state.concurrency * 2);
    return { ...state, concurrency, consecutiveFailures: 0 };
  }
  const consecutiveFailures = state.consecutiveFailures + 1;
  const pause = consecutiveFailures < FAILURES_BEFORE_PAUSE ? 0 : Math.ceil(random * MAX_PAUSE);
  const hold = Math.max(retryAfter ?? 0, pause);
  return {
    concurrency: 1,
    consecutiveFailures,
    heldUntil: hold > 0 ? Math.max(state.heldUntil ?? 0, now + hold) : state.heldUntil,
    gone: state.gone || status === 410,
  };
}

/** Whether another attempt may start beside those in flight. */
export const maySend = ({ concurrency, heldUntil, gone }: ReceiverState, inFlight: number): boolean =>
  !gone && heldUntil === null && inFlight < concurrency;
