import { createSecretKey, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { isSessionId, newSessionId } from './session-id.ts';

/** Lifetimes of tokens in seconds (spec §Authentication 4). */
export const LIFETIME = { direct: 30 * 60, catalogue: 60 * 60 } as const;

/** Verified tokens remembered at once, a few hundred bytes each. */
const MAX_REMEMBERED = 10_000;

/** Claims of a session (spec §Token): whose it is. */
export interface SessionClaims {
  email: string;
  user_id: string | null;
  exp: number;
}

export type TokenCheck =
  | { ok: true; claims: SessionClaims; sid: string | undefined }
  | { ok: false; reason: 'invalid' | 'expired' };

/** Signs and verifies every token: HS256 (RFC 7518 §3.2), integer `exp`, no `iat`. Times are Unix milliseconds. */
export interface Tokens {
  /**
   * A token that opens a session or, given a `sid`, goes on with one; good for `lifetime` seconds. The session's
   * id is the private header parameter `sid` (RFC 7515 §4.3), so that the claims stay the specification's.
   */
  session(
    user: { email: string; user_id: string | null },
    now: number,
    options?: { lifetime?: number; sid?: string },
  ): string;
  /** What signup, forgot-password and reset-password answer; never accepted as a bearer. */
  otpSent(email: string, now: number): string;
  /** Whether `token` opens a session, without asking whether the session still stands. */
  verify(token: string, now: number): TokenCheck;
}

/** `JWT_SECRET` signs; the previous secret, when there is one, still verifies. */
export function createTokens(config: {
  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS?: string | undefined;
}): Tokens {
  // KeyObjects: jsonwebtoken is several times faster with them than with strings.
  const keyOf = (secret: string) => createSecretKey(Buffer.from(secret, 'utf8'));
  const signingKey = keyOf(config.JWT_SECRET);
  const keys = config.JWT_SECRET_PREVIOUS ? [signingKey, keyOf(config.JWT_SECRET_PREVIOUS)] : [signingKey];
  const sign = (claims: object, lifetime: number, now: number, header: object = {}) =>
    jwt.sign({ ...claims, exp: Math.floor(now / 1000) + lifetime }, signingKey, {
      algorithm: 'HS256',
      noTimestamp: true,
      header: { alg: 'HS256', ...header },
    });
  // A signature does not change: what was verified once needs no second look, only its expiry does.
  const verified = new Map<string, jwt.Jwt>();
  const decoded = (token: string): jwt.Jwt | undefined => {
    const known = verified.get(token);
    if (known) return known;
    const fresh = keys.map((key) => decode(token, key)).find((result) => result !== undefined);
    if (fresh && verified.size >= MAX_REMEMBERED) verified.clear();
    if (fresh) verified.set(token, fresh);
    return fresh;
  };
  return {
    session: ({ email, user_id }, now, { lifetime = LIFETIME.direct, sid = newSessionId(now) } = {}) =>
      sign({ email, user_id }, lifetime, now, { sid }),
    otpSent: (email, now) => sign({ email, otp_sent: true }, LIFETIME.direct, now),
    verify(token, now) {
      // The signature comes first: only a token of ours is told that it has expired.
      const { payload, header } = decoded(token) ?? {};
      if (!expires(payload)) return { ok: false, reason: 'invalid' };
      if (payload.exp <= now / 1000) return { ok: false, reason: 'expired' };
      const { sid } = header as { sid?: unknown };
      if (!isSession(payload) || !(sid === undefined || isSessionId(sid))) {
        return { ok: false, reason: 'invalid' };
      }
      return { ok: true, claims: payload, sid };
    },
  };
}

function decode(token: string, key: KeyObject): jwt.Jwt | undefined {
  try {
    const decoded = jwt.verify(token, key, { algorithms: ['HS256'], complete: true, ignoreExpiration: true });
    // RFC 7515 §4.1.11: an extension that must be understood, and is not, is refused.
    return 'crit' in decoded.header ? undefined : decoded;
  } catch {
    return undefined;
  }
}

/** The last second that a date can hold (ECMA-262 §21.4.1.1). */
const END_OF_TIME = 8.64e12;

const expires = (payload: unknown): payload is { exp: number } => {
  const exp = (payload as { exp?: unknown } | null)?.exp;
  return Number.isInteger(exp) && (exp as number) <= END_OF_TIME;
};

function isSession(payload: { exp: number }): payload is SessionClaims {
  const { email, user_id, otp_sent } = payload as Partial<Record<string, unknown>>;
  return (
    typeof email === 'string' && (typeof user_id === 'string' || user_id === null) && otp_sent === undefined
  );
}
