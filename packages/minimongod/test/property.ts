/** The fraction of the runs that property tests make: a tenth, unless PROPERTY_RUNS says otherwise. */
const FRACTION = Number(process.env.PROPERTY_RUNS ?? 0.1);

/** The number of runs of a property test: `full` when PROPERTY_RUNS is 1. */
export const runs = (full: number) => Math.ceil(full * FRACTION);
