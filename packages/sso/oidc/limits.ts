/** The limits of OpenID Connect, in milliseconds. Tests inject others. */
export const DEFAULT_LIMITS = {
  /** For the calls to the provider that one login makes; the gateway gives the whole call 15 seconds. */
  loginTimeout: 10_000,
  /** For a discovery document, and for a key set. */
  documentTimeout: 5_000,
};

export type OidcLimits = typeof DEFAULT_LIMITS;
