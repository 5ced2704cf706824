import { type Budget, type Counters, closest, type Use } from './counters.ts';

/** Uses that are counted together before an attempt. A parallel burst gets no extra attempts. */
export interface Reservation extends Budget {
  /** Ends the attempt. Uses that do not count are taken back. */
  settle(counts: boolean): Promise<void>;
}

/** Milliseconds until a retry of an attempt that is refused because others are in flight. */
const IN_FLIGHT_RETRY = 1_000;
/** Counts attempts in flight. It forgets those of a process that was killed. */
const IN_FLIGHT = [{ seconds: 60, limit: 1_000_000 }];

/**
 * Counts every use, or none when one of them is refused.
 * @returns the budget that refused, or that is closest to its limit.
 */
export async function reserve(counters: Counters, uses: readonly Use[]): Promise<Reservation> {
  const reservations = await Promise.all(uses.map((use) => reserveOne(counters, use)));
  const settle = async (counts: boolean) =>
    void (await Promise.all(reservations.map((reservation) => reservation.settle(counts))));
  const exceeded = reservations.filter((reservation) => reservation.exceeded);
  if (exceeded.length === 0) return { ...closest(reservations), settle };
  await settle(false);
  return { ...closest(exceeded), settle: async () => {} };
}

async function reserveOne(counters: Counters, { key, windows }: Use): Promise<Reservation> {
  const { refund, ...budget } = await counters.spend(key, windows);
  return { ...budget, settle: async (counts) => (counts ? undefined : refund()) };
}

/**
 * Reserves an attempt that may be taken back. When attempts in flight use up the budget, `resetMs` is short: as soon as
 * they are answered, a retry can succeed.
 */
export async function reserveAttempt(counters: Counters, uses: readonly Use[]): Promise<Reservation> {
  const pendingUses = uses.map(({ key }) => ({ key: `${key}:in-flight`, windows: IN_FLIGHT }));
  const [pending, reservation] = await Promise.all([reserve(counters, pendingUses), reserve(counters, uses)]);
  const settle = async (counts: boolean) =>
    void (await Promise.all([pending.settle(false), reservation.settle(counts)]));
  if (!reservation.exceeded) return { ...reservation, settle };
  await pending.settle(false);
  const others = await Promise.all(pendingUses.map(({ key, windows }) => counters.peek(key, windows)));
  const isPending = others.some(({ limit, remaining }) => remaining < limit);
  const resetMs = isPending ? Math.min(IN_FLIGHT_RETRY, reservation.resetMs) : reservation.resetMs;
  return { ...reservation, resetMs };
}

/**
 * Makes an attempt whose uses are reserved. They are taken back unless its response counts.
 * @param attempt a rejection does not count.
 */
export async function withReservations<T>(
  reservations: readonly Reservation[],
  attempt: () => Promise<T>,
  counts: (response: T) => boolean,
): Promise<T> {
  const settle = (counted: boolean) =>
    Promise.all(reservations.map((reservation) => reservation.settle(counted)));
  const response = await attempt().catch(async (error) => {
    await settle(false);
    throw error;
  });
  await settle(counts(response));
  return response;
}
