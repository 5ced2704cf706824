import { isDelivered, type Outcome } from './send.ts';

/** How many attempts a receiver gets at once, from its latest responses. */
export interface ReceiverState {
  /** Attempts allowed at the same time. */
  readonly concurrency: number;
  readonly consecutiveFailures: number;
  /** Unix milliseconds until which nothing is sent; null when the queue is not paused. */
  readonly pausedUntil: number | null;
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
  pausedUntil: null,
  gone: false,
};

/**
 * Slow start: concurrency begins at one, doubles with each success and drops back to one on a failure. This spares a
 * receiver in trouble.
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
  const wait = Math.max(retryAfter ?? 0, pause);
  return {
    concurrency: 1,
    consecutiveFailures,
    pausedUntil: wait > 0 ? Math.max(state.pausedUntil ?? 0, now + wait) : state.pausedUntil,
    gone: state.gone || status === 410,
  };
}

/** Whether another attempt may start. */
export const maySend = ({ concurrency, pausedUntil, gone }: ReceiverState, inFlight: number): boolean =>
  !gone && pausedUntil === null && inFlight < concurrency;
