import { isDeepStrictEqual } from 'node:util';

/** Applies a call to a state of a model. @returns the status that the call gets. */
type Perform<State, Call> = (state: State, call: Call) => number;

/** Returns the state after a call that succeeds, and no state after one that is refused. */
export const outcomesOf =
  <State, Call>(perform: Perform<State, Call>) =>
  (state: State, call: Call): State[] => {
    const next = structuredClone(state);
    return perform(next, call) < 300 ? [next] : [];
  };

/** Returns what any order of any subset of the calls can produce: rights, and the indexes of successful calls. */
export function reachable<State, Call>(
  initial: State,
  calls: readonly Call[],
  {
    outcomes,
    rightsIn,
  }: { outcomes: (state: State, call: Call) => State[]; rightsIn: (state: State) => string[] },
) {
  const rights = new Set<string>();
  const succeeding = new Set<number>();
  const explored = new Set<string>();
  const explore = (reached: State, left: number[]) => {
    const key = JSON.stringify([reached, left]);
    if (explored.has(key)) return;
    explored.add(key);
    for (const right of rightsIn(reached)) rights.add(right);
    for (const number of left) {
      for (const next of outcomes(reached, calls[number] as Call)) {
        succeeding.add(number);
        explore(
          next,
          left.filter((each) => each !== number),
        );
      }
    }
  };
  explore(initial, [...calls.keys()]);
  return { rights, succeeding };
}

/** Returns whether some order of the calls yields their statuses and then the state `end`, as `observable` shows it. */
export function isSerializable<State, Call>(
  reached: State,
  left: readonly (readonly [Call, status: number])[],
  end: State,
  { perform, observable }: { perform: Perform<State, Call>; observable: (state: State) => object },
): boolean {
  if (left.length === 0) return isDeepStrictEqual(observable(reached), observable(end));
  return left.some(([call, status], index) => {
    const next = structuredClone(reached);
    return (
      perform(next, call) === status &&
      isSerializable(next, left.toSpliced(index, 1), end, { perform, observable })
    );
  });
}
