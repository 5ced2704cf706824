import { z } from 'zod';

/**
 * Where the login service has the user service ask the old system about an address without an account
 * (CONTRACT.md §Logins of an old system).
 */
export const LEGACY_LOGIN = '/internal/legacy-login';

export const legacyLoginBody = z.object({
  email: z.string(),
  password: z.string(),
  /** Proves that a service of ours calls. */
  token: z.string(),
});

/**
 * `moved`: the address has an account now. `unknown`: the old system does not know the person, or the password is wrong.
 * `unavailable`: it has not answered in a way that says either.
 */
export const legacyLoginAnswer = z.object({ verdict: z.enum(['moved', 'unknown', 'unavailable']) });

export type LegacyVerdict = z.infer<typeof legacyLoginAnswer>['verdict'];
