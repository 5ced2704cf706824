/** Loads the library at the first ceremony: it takes a quarter of a second, which would delay every start. */
export const loadLibrary = () => import('@simplewebauthn/server');
