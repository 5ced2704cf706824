import type { Calls } from './calls.ts';
import type { Failure } from './failure.ts';
import type { LoginAnswer, Session, SessionStore } from './session.ts';

/** A call waits for the refresh of a token that expires within these milliseconds. */
const URGENT = 30_000;
/** Milliseconds until a refresh that got no answer is tried again. */
const PAUSE = 10_000;

/** Takes turns with the other tabs, where the browser can (Web Locks API). */
type Turns = <T>(run: () => Promise<T>) => Promise<T>;
const inTurn: Turns = (run) => {
  const { locks } =
    (globalThis as { navigator?: { locks?: { request(name: string, run: unknown): Promise<unknown> } } })
      .navigator ?? {};
  return locks ? (locks.request('gatehouse.refresh', run) as ReturnType<typeof run>) : run();
};

/**
 * Extends the session in time: at a call, once half of the token's life is over. An unused session expires.
 * There is one refresh in flight, in this tab and, with Web Locks, in all of them.
 */
export function createRefresh(store: SessionStore, calls: Pick<Calls, 'json' | 'clock'>) {
  const { clock } = calls;
  let inFlight: Promise<void> | undefined;
  let refused: string | null | undefined;
  let notBefore = 0;

  /** @param before the session when this tab asked for its turn. */
  async function extend(before: Session | undefined): Promise<void> {
    await store.load();
    const session = store.current();
    // Another tab was faster.
    if (!session || session.token !== before?.token || session.expiresAt !== before.expiresAt) return;
    try {
      const bearer = session.token;
      await store.begin(await calls.json<LoginAnswer>('/api/v1/auth/refresh', { method: 'POST', bearer }));
    } catch (error) {
      // The session has reached its greatest age, or belongs to an operator: it goes on until its token expires.
      if ([401, 403].includes((error as Failure).status)) refused = session.token;
      else notBefore = clock.now() + PAUSE;
      throw error;
    }
  }

  /** Extends the session now. @throws {GatehouseError} */
  const refresh = (): Promise<void> => {
    const before = store.current();
    inFlight ??= inTurn(() => extend(before)).finally(() => {
      inFlight = undefined;
    });
    return inFlight;
  };

  return {
    refresh,
    /** Returns the bearer of a call, and extends its session if it is time. */
    async bearer(): Promise<string | undefined> {
      await store.loaded;
      const session = store.current();
      if (!session) return undefined;
      const left = session.expiresAt - clock.now();
      if (left <= 0) store.end('expired');
      else if (
        left < (session.expiresAt - session.issuedAt) / 2 &&
        session.token !== refused &&
        clock.now() >= notBefore
      ) {
        const refreshed = refresh().catch(() => {});
        if (left < URGENT) await refreshed;
      }
      return store.current()?.token ?? undefined;
    },
  };
}
