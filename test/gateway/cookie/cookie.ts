/** The origin of the gateway's own pages, from the default of PUBLIC_URL. */
export const OWN_ORIGIN = 'http://localhost:8000';

/** The session cookie with the token of an Authorization header. */
export const cookieOf = (authorization: string): string =>
  `__Host-gatehouse-session=${authorization.replace('Bearer ', '')}`;
