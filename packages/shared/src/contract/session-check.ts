import { z } from 'zod';

/** Where the login service asks the user service whether a session may continue; the bearer is a token of the session. */
export const SESSION_CHECK = '/internal/sso/session/check';

/** What the user service answers about a session that began at an identity provider. */
export const sessionCheck = z.discriminatedUnion('verdict', [
  z.object({
    verdict: z.literal('continues'),
    /** When the person has to log in again, in Unix seconds; null if only SESSION_MAX_HOURS ends the session. */
    until: z.int().nullable(),
    /** Whether the session continues without an answer because the provider was not reached. */
    grace: z.boolean(),
    connection_id: z.string(),
    organization_id: z.string(),
  }),
  z.object({
    /** The session is over, it is too old, or the provider cannot be reached a second time. */
    verdict: z.enum(['ended', 'expired', 'unavailable']),
  }),
]);

export type SessionCheck = z.infer<typeof sessionCheck>;
