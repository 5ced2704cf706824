/** The limits of a call to a directory, in milliseconds. Tests inject others. */
export const LDAP_LIMITS = {
  /** For the connection, TLS included. */
  connectTimeout: 4_000,
  /** For one bind or search. */
  operationTimeout: 5_000,
  /** For all binds and searches; the gateway gives the whole call 15 seconds. */
  totalTimeout: 7_000,
};

export type LdapTuning = Partial<typeof LDAP_LIMITS>;
