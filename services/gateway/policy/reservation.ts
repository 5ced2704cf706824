import type { Budget, Counters, Window } from './counters.ts';

/** One use that is counted before an attempt, so that a parallel burst gets no extra attempts. */
export interface Reservation extends Budget {
  /** Takes the use back. */
  refund(): Promise<void>;
}

export async function reserve(
  counters: Counters,
  key: string,
  windows: readonly Window[],
): Promise<Reservation> {
  const budget = await counters.spend(key, windows);
  const endsAt = Date.now() + budget.resetMs;
  const refund = async () => {
    // A window that started after the reservation counts other attempts.
    if (!budget.exceeded && Date.now() < endsAt) await counters.refund(key, windows);
  };
  return { ...budget, refund };
}

/**
 * Makes an attempt whose uses are reserved. They are refunded unless its response counts.
 * @param attempt a rejection does not count.
 */
export async function withReservations<T>(
  reservations: readonly Reservation[],
  attempt: () => Promise<T>,
  counts: (response: T) => boolean,
): Promise<T> {
  const refund = () => Promise.all(reservations.map((reservation) => reservation.refund()));
  const response = await attempt().catch(async (error) => {
    await refund();
    throw error;
  });
  if (!counts(response)) await refund();
  return response;
}
