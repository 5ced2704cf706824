import type { Answered } from '../fixtures/http.ts';
import type { World } from './world.ts';

/** A call that writes, as one test of every fault makes it. */
export interface Scenario {
  /** Makes what the call needs. @returns the call; a client repeats exactly this. */
  prepare(world: World): Promise<() => Promise<Answered>>;
  /** What a repetition answers when the first call took effect without an answer. */
  again?: number[];
}

/** Scenarios by operation, spelled as in docs/ROUTES.md. */
export type Scenarios = Record<string, Scenario>;
