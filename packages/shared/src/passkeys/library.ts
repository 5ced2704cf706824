let loaded: Promise<typeof import('@simplewebauthn/server')> | undefined;

/** Loads the library at the first ceremony: it takes a quarter of a second, which would delay every start. */
export const loadLibrary = () => {
  // Node resolves a module again at each import(): 2% of the CPU time of a login with a passkey.
  loaded ??= import('@simplewebauthn/server');
  return loaded;
};
