import { createSecretKey, type KeyObject, randomUUIDv7 } from 'node:crypto';
import jwt from 'jsonwebtoken';

/** Lifetime of a Direct token in seconds (spec §Token). */
const DIRECT_LIFETIME = 30 * 60;

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
  /** A token that opens a session; the session's id is the private header parameter `sid`. */
  session(user: { email: string; user_id: string | null }, now: number): string;
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
  const sign = (claims: object, now: number, header: object = {}) =>
    jwt.sign({ ...claims, exp: Math.floor(now / 1000) + DIRECT_LIFETIME }, signingKey, {
      algorithm: 'HS256',
      noTimestamp: true,
      header: { alg: 'HS256', ...header },
    });
  return {
    session: ({ email, user_id }, now) => sign({ email, user_id }, now, { sid: randomUUIDv7() }),
    otpSent: (email, now) => sign({ email, otp_sent: true }, now),
    verify(token, now) {
      // The signature comes first: only a token of ours is told that it has expired.
      const decoded = keys.map((key) => decode(token, key)).find((result) => result !== undefined);
      if (!decoded || !expires(decoded.payload)) return { ok: false, reason: 'invalid' };
      if (decoded.payload.exp <= now / 1000) return { ok: false, reason: 'expired' };
      if (!isSession(decoded.payload)) return { ok: false, reason: 'invalid' };
      const sid = 'sid' in decoded.header ? String(decoded.header.sid) : undefined;
      return { ok: true, claims: decoded.payload, sid };
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

const expires = (payload: unknown): payload is { exp: number } =>
  Number.isInteger((payload as { exp?: unknown } | null)?.exp);

function isSession(payload: { exp: number }): payload is SessionClaims {
  const { email, user_id, otp_sent } = payload as Partial<Record<string, unknown>>;
  return (
    typeof email === 'string' && (typeof user_id === 'string' || user_id === null) && otp_sent === undefined
  );
}
