import { jwtVerify } from 'jose';

/** What a session token says (CONTRACT.md §Tokens). */
export interface Claims {
  email: string;
  userId: string | null;
  /** Unix milliseconds. */
  expiresAt: number;
}

const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/**
 * Verifies a session token with the secret that signs it, or with the previous one. Algorithm and key are ours, never
 * the token's. A token of another kind is refused, and that of a support session: its bearer is not the person.
 * @param now Unix milliseconds.
 */
export async function verifyToken(
  token: string,
  secrets: readonly string[],
  now: number,
): Promise<Claims | undefined> {
  for (const secret of secrets) {
    const key = new TextEncoder().encode(secret);
    // jose refuses critical parameters that it does not know (RFC 7515 §4.1.11).
    const options = { algorithms: ['HS256'], requiredClaims: ['exp'], currentDate: new Date(now) };
    const verified = await jwtVerify(token, key, options).catch(() => undefined);
    if (verified) return isSession(verified.protectedHeader) ? claimsOf(verified.payload) : undefined;
  }
  return undefined;
}

/** Half a login, a ceremony and a link have types of their own; only a support session has an operator. */
const isSession = ({ typ, sid, support, operator, attempt }: Record<string, unknown>): boolean =>
  (typ === undefined || typ === 'JWT') &&
  (sid === undefined || (typeof sid === 'string' && SESSION_ID.test(sid))) &&
  [support, operator, attempt].every((parameter) => parameter === undefined);

function claimsOf({ email, user_id, exp, otp_sent }: Record<string, unknown>): Claims | undefined {
  const isUserId = user_id === null || (typeof user_id === 'string' && user_id !== '');
  if (typeof email !== 'string' || !isUserId || !Number.isInteger(exp) || otp_sent !== undefined)
    return undefined;
  return { email, userId: user_id, expiresAt: (exp as number) * 1000 };
}
