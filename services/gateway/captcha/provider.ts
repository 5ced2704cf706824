/** Milliseconds within which a challenge must be solved and its token used (CONTRACT.md §CAPTCHA). */
export const CHALLENGE_LIFETIME = 120_000;

/**
 * Verifies a token.
 * @returns what identifies the solved challenge, however its token is spelled; undefined when the token is refused.
 */
export type VerifyCaptcha = (token: string, address: string, now: number) => Promise<string | undefined>;
