import { z } from 'zod';
import type { LoginFlow } from '../records.ts';
import { SsoRefusal } from '../refusal.ts';

/** The query of an operation that begins a login. */
export const beginQuery = z.object({
  prompt: z.literal('login', { error: 'must be login' }).optional().meta({
    description:
      'With `login`, the person proves again who they are, even if they are signed in at the provider (step-up)',
  }),
});

/** The fields of a login that requires reauthentication at the provider. */
export const freshLogin = (
  { prompt }: z.infer<typeof beginQuery>,
  now: number,
): Pick<LoginFlow, 'authenticated_after'> =>
  prompt === 'login' ? { authenticated_after: new Date(now) } : {};

/**
 * Requires that a person has proved who they are since a login asked for it.
 * @param at when they did so, as the provider says; Unix milliseconds.
 * @param skew by which its clock may differ, in milliseconds.
 * @throws {SsoRefusal} message refused.
 */
export function requireFresh(
  authenticated_after: Date | undefined,
  at: number | undefined,
  skew: number,
): void {
  if (!authenticated_after || (at !== undefined && at + skew >= authenticated_after.getTime())) return;
  const actual =
    at === undefined ? 'at a time that the provider does not say' : `at ${new Date(at).toISOString()}`;
  throw new SsoRefusal(
    'message refused',
    `the login asked for a fresh proof at ${authenticated_after.toISOString()}, but the person proved who they are ${actual}`,
  );
}
