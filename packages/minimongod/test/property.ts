/** The fraction of the runs that property tests make: a quarter, unless PROPERTY_RUNS says otherwise. */
const FRACTION = Number(process.env.PROPERTY_RUNS ?? 0.25);

/** The number of runs of a property test: `full` when PROPERTY_RUNS is 1. */
export const runs = (full: number) => Math.ceil(full * FRACTION);
