/** The costliest argon2 hash that is verified: 256 MiB, 16 passes, 8 lanes. The stored value itself names its cost. */
const MAX_COST = [262_144, 16, 8] as const;

/** @param parameters KiB of memory, passes and lanes, as a hash names them. */
export const exceedsArgon2 = (...parameters: (string | undefined)[]): boolean =>
  MAX_COST.some((max, index) => Number(parameters[index]) > max);

/** A stored value that only looks like a hash, or has parameters that argon2 refuses, matches no password. */
export function undefinedIfUnreadable(error: Error & { code?: string }): undefined {
  if (error.code === 'InvalidArg') return;
  throw error;
}
