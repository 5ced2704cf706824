/** Bytes of a body that is read before its sender is known (CONTRACT.md §JSON bodies). */
export const LOGIN_BODY = 64 * 1024;

/** Bytes of a message of an identity provider: an assertion may list the groups of a person, and may be encrypted. */
export const PROVIDER_BODY = 256 * 1024;
