import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { emailKey } from './email.ts';
import type { LoginWay } from './login-ways.ts';

/** Token lifetimes in seconds (CONTRACT.md §Tokens); SESSION_IDLE_MINUTES may shorten them. */
export const LIFETIME = { direct: 30 * 60, catalogue: 60 * 60 } as const;

/** Claims of a session token (CONTRACT.md §Tokens). */
export interface SessionClaims {
  email: string;
  user_id: string | null;
  exp: number;
}

/** What an operator may do in the account of a person: look at it, or act as the person within limits. */
export type SupportMode = 'read' | 'full';

/** The session of an operator in the account of a person. */
export interface SupportSession {
  mode: SupportMode;
  /** The user_id of the operator. */
  operator: string;
}

/** Seconds that it lasts at most, since nothing extends it. */
export const SUPPORT_LIFETIME = 60 * 60;

/** A login whose first factor was right and that waits for the second. */
export interface HalfLogin {
  /** The `_id` of the account, in hexadecimal. */
  account: string;
  /** The enrollment whose code is awaited. */
  enrollment: string;
  /** When the first factor was checked; Unix milliseconds. */
  began: number;
  /** The first factor, if it was not the password. */
  way?: LoginWay;
}

/** A login at a directory that waits for the second factor. */
export interface HalfDirectoryLogin extends HalfLogin {
  connection_id: string;
  /** Who the person is at the directory. */
  subject: string;
  /** As typed. */
  username: string;
}

/** A change of an address that the person at the former one can undo. */
export interface EmailUndo {
  /** The `_id` of the account, in hexadecimal. */
  account: string;
  /** The id of the change. */
  change: string;
}

/** Seconds in which it can be undone. */
export const EMAIL_UNDO_LIFETIME = 3 * 86_400;

/** A ceremony of a passkey (Web Authentication), from the options for the browser to its answer. */
export interface PasskeyCeremony {
  /** What the answer is for. It is accepted for nothing else. */
  purpose: 'login' | 'factor' | 'confirm' | 'register';
  /** For whom: half a login or a session; empty for a login, where nobody is known yet. */
  subject: string;
  /** In base64url. */
  challenge: string;
  /** The user handle that a new passkey gets. */
  handle?: string;
}

/** Seconds in which the browser must answer. */
export const PASSKEY_LIFETIME = 2 * 60;

/** A request for a login code, whether or not its address has an account. */
export interface LoginCodeRequest {
  email: string;
  /** Names the request. */
  attempt: string;
}

/** Seconds in which a mailed code logs in. */
export const LOGIN_CODE_LIFETIME = 10 * 60;

/** Seconds in which the user service must get the question of the login service. */
const LEGACY_LOGIN_LIFETIME = 60;

/** Seconds in which the code of a second factor must follow the password. */
const FACTOR_LIFETIME = 5 * 60;
/** The `typ` of the tokens that are no bearers (RFC 7515 §4.1.9). Each is accepted in one place. */
const FACTOR_TYPE = 'factor+jwt';
const DIRECTORY_FACTOR_TYPE = 'ldap-factor+jwt';
const EMAIL_UNDO_TYPE = 'email-undo+jwt';
const PASSKEY_TYPE = 'passkey+jwt';
const LOGIN_CODE_TYPE = 'login-code+jwt';
const LEGACY_LOGIN_TYPE = 'legacy-login+jwt';
const NO_BEARERS: ReadonlySet<unknown> = new Set([
  LEGACY_LOGIN_TYPE,
  FACTOR_TYPE,
  DIRECTORY_FACTOR_TYPE,
  EMAIL_UNDO_TYPE,
  PASSKEY_TYPE,
  LOGIN_CODE_TYPE,
]);

export type TokenCheck =
  | {
      ok: true;
      claims: SessionClaims;
      sid: string | undefined;
      sso?: true;
      mfa?: true;
      confirmedAt?: number;
      support?: SupportSession;
    }
  | { ok: false; reason: 'invalid' | 'expired' };

/**
 * Signs and verifies tokens: HS256 (RFC 7518 §3.2), integer `exp`, no `iat`. Times are Unix milliseconds. `JWT_SECRET`
 * signs; the optional previous secret still verifies.
 */
export function createTokens(config: {
  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS?: string | undefined;
  SESSION_IDLE_MINUTES?: number;
}) {
  const idle = (config.SESSION_IDLE_MINUTES ?? 60) * 60;
  const lifetime = {
    direct: Math.min(LIFETIME.direct, idle),
    catalogue: Math.min(LIFETIME.catalogue, idle),
  };
  // Given a string, jsonwebtoken would first try to read it as a public key, at every call.
  const keyOf = (secret: string) => createSecretKey(Buffer.from(secret, 'utf8'));
  const signingKey = keyOf(config.JWT_SECRET);
  const previousKey = config.JWT_SECRET_PREVIOUS ? keyOf(config.JWT_SECRET_PREVIOUS) : undefined;
  const sign = (claims: object, lifetime: number, now: number, header: object = {}) =>
    jwt.sign({ ...claims, exp: Math.floor(now / 1000) + lifetime }, signingKey, {
      algorithm: 'HS256',
      noTimestamp: true,
      header: { alg: 'HS256', ...header },
    });
  const decoded = (token: string, isUnderstood?: Understands) =>
    decode(token, signingKey, isUnderstood) ??
    (previousKey ? decode(token, previousKey, isUnderstood) : undefined);
  const payloadOf = <Payload>(token: string, type: string, now: number): Payload | undefined => {
    const { payload, header } = decoded(token) ?? {};
    if (header?.typ !== type || !hasExp(payload) || payload.exp <= now / 1000) return undefined;
    return payload as unknown as Payload;
  };
  return {
    /** Seconds for which the tokens of logins and refreshes are valid: a session that is not extended by then is idle. */
    lifetime,
    /**
     * Signs a token that starts a session or, given a `sid`, continues one. It is valid for `lifetime` seconds.
     * The session id is the private header parameter `sid` (RFC 7515 §4.3), because the contract fixes the claims.
     * `sso` marks a session that began at an identity provider, `mfa` one in which the person has presented a second factor
     * or a passkey. `confirmedAt` is when the person last proved to be there,
     * if that was not the login.
     */
    session(
      { email, user_id }: { email: string; user_id: string | null },
      now: number,
      options: {
        lifetime?: number;
        sid?: string;
        sso?: boolean;
        mfa?: boolean;
        confirmedAt?: number | undefined;
      } = {},
    ): string {
      const { lifetime = LIFETIME.direct, sid = newSessionId(now), sso, mfa, confirmedAt } = options;
      const confirmed_at = confirmedAt === undefined ? undefined : Math.floor(confirmedAt / 1000);
      return sign({ email, user_id }, lifetime, now, {
        sid,
        ...(sso && { sso }),
        ...(mfa && { mfa }),
        ...(confirmed_at !== undefined && { confirmed_at }),
      });
    },
    /**
     * Signs the token of a support session. Its parameters are critical (RFC 7515 §4.1.11): whoever does not know them
     * must refuse it, in place of taking its bearer for the person.
     */
    supportSession(
      { email, user_id }: { email: string; user_id: string },
      { mode, operator }: SupportSession,
      now: number,
      { lifetime, sid }: { lifetime: number; sid: string },
    ): string {
      const header = { sid, support: mode, operator, crit: SUPPORT_PARAMETERS };
      return sign({ email, user_id }, Math.min(lifetime, SUPPORT_LIFETIME), now, header);
    },
    /** Signs the token of half a login. It is accepted with a code of the second factor and nowhere else. */
    factor: (login: HalfLogin, now: number): string =>
      sign(login, FACTOR_LIFETIME, now, { typ: FACTOR_TYPE }),
    /** Returns what such a token says; undefined if it is not ours or has expired. */
    halfLoginOf(token: string, now: number): HalfLogin | undefined {
      return payloadOf<HalfLogin>(token, FACTOR_TYPE, now);
    },
    /** The same for a login at a directory. Neither token is accepted in the place of the other. */
    directoryFactor: (login: HalfDirectoryLogin, now: number): string =>
      sign(login, FACTOR_LIFETIME, now, { typ: DIRECTORY_FACTOR_TYPE }),
    halfDirectoryLoginOf(token: string, now: number): HalfDirectoryLogin | undefined {
      return payloadOf<HalfDirectoryLogin>(token, DIRECTORY_FACTOR_TYPE, now);
    },
    /** Signs the token of a passkey ceremony. The browser keeps it; nothing is stored. */
    passkey: (ceremony: PasskeyCeremony, now: number): string =>
      sign(ceremony, PASSKEY_LIFETIME, now, { typ: PASSKEY_TYPE }),
    /** Returns what such a token says; undefined if it is not ours or has expired. */
    passkeyOf(token: string, now: number): PasskeyCeremony | undefined {
      return payloadOf<PasskeyCeremony>(token, PASSKEY_TYPE, now);
    },
    /** Signs the token of the link with which a change of an address is undone. */
    emailUndo: (undo: EmailUndo, now: number): string =>
      sign(undo, EMAIL_UNDO_LIFETIME, now, { typ: EMAIL_UNDO_TYPE }),
    /** Returns what such a token says; undefined if it is not ours or has expired. */
    emailUndoOf(token: string, now: number): EmailUndo | undefined {
      return payloadOf<EmailUndo>(token, EMAIL_UNDO_TYPE, now);
    },
    /** Signs the token of a request for a login code. It is accepted with the code and nowhere else. */
    loginCode: (request: LoginCodeRequest, now: number): string =>
      sign(request, LOGIN_CODE_LIFETIME, now, { typ: LOGIN_CODE_TYPE }),
    /** Returns the request of such a token; undefined if it is not ours, has expired or is for another email. */
    loginAttemptOf(token: string, email: string, now: number): string | undefined {
      const request = payloadOf<LoginCodeRequest>(token, LOGIN_CODE_TYPE, now);
      return request && emailKey(request.email) === emailKey(email) ? request.attempt : undefined;
    },
    /** Signs the token with which the login service has the old system asked about an address, and nothing else. */
    legacyLogin: (email: string, now: number): string =>
      sign({ email }, LEGACY_LOGIN_LIFETIME, now, { typ: LEGACY_LOGIN_TYPE }),
    /** Returns whether such a token is ours, has not expired and is for this address. */
    isLegacyLogin: (token: string, email: string, now: number): boolean =>
      payloadOf<{ email: string }>(token, LEGACY_LOGIN_TYPE, now)?.email === email,
    /**
     * Signs the token that signup, forgot-password and reset-password return. It is never accepted as a bearer.
     * @param attempt the id of the signup or forgot-password call, carried in the private header parameter `attempt`.
     */
    otpSent: (email: string, now: number, attempt?: string): string =>
      sign({ email, otp_sent: true }, LIFETIME.direct, now, attempt === undefined ? {} : { attempt }),
    /** Returns the attempt id of such a token; null if the token is not ours, has expired or is for another email. */
    attemptOf(token: string, email: string, now: number): string | null {
      const { payload, header } = decoded(token) ?? {};
      if (!hasExp(payload) || payload.exp <= now / 1000) return null;
      const claims = payload as { email?: unknown; otp_sent?: unknown };
      const { attempt } = header as { attempt?: unknown };
      const matches =
        claims.otp_sent === true &&
        typeof claims.email === 'string' &&
        emailKey(claims.email) === emailKey(email);
      return matches && typeof attempt === 'string' && attempt !== '' ? attempt : null;
    },
    /** Verifies a session token without checking whether its session has ended. */
    verify(token: string, now: number): TokenCheck {
      // The signature comes first: only a token that we signed is reported as expired.
      const { payload, header } = decoded(token, isSupport) ?? {};
      if (!hasExp(payload)) return { ok: false, reason: 'invalid' };
      if (payload.exp <= now / 1000) return { ok: false, reason: 'expired' };
      const { sid, sso, mfa, typ, confirmed_at, ...rest } = header as unknown as Record<string, unknown>;
      if (NO_BEARERS.has(typ) || !isSession(payload) || !(sid === undefined || isSessionId(sid))) {
        return { ok: false, reason: 'invalid' };
      }
      const support = supportOf(rest);
      if (support && !isShort(payload, sid)) return { ok: false, reason: 'invalid' };
      if (support) return { ok: true, claims: payload, sid, support };
      const confirmedAt = typeof confirmed_at === 'number' ? confirmed_at * 1000 : undefined;
      return {
        ok: true,
        claims: payload,
        sid,
        ...(sso === true && { sso }),
        ...(mfa === true && { mfa }),
        ...(confirmedAt !== undefined && { confirmedAt }),
      };
    },
  };
}

export type Tokens = ReturnType<typeof createTokens>;

/** Whether a caller knows what the critical parameters of a token mean. */
type Understands = (header: Record<string, unknown>) => boolean;

const understandsNone: Understands = (header) => !('crit' in header);

function decode(token: string, key: KeyObject, isUnderstood = understandsNone): jwt.Jwt | undefined {
  try {
    const decoded = jwt.verify(token, key, { algorithms: ['HS256'], complete: true, ignoreExpiration: true });
    // RFC 7515 §4.1.11: a token with a critical extension that is not understood is invalid.
    return isUnderstood(decoded.header as unknown as Record<string, unknown>) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

const SUPPORT_PARAMETERS = ['support', 'operator'];

/** Whether a header is that of an ordinary token or, with all its parameters, of a support session. */
const isSupport: Understands = ({ crit, support, operator }) =>
  crit === undefined
    ? support === undefined && operator === undefined
    : JSON.stringify(crit) === JSON.stringify(SUPPORT_PARAMETERS) &&
      (support === 'read' || support === 'full') &&
      typeof operator === 'string' &&
      operator !== '';

const supportOf = ({ crit, support, operator }: Record<string, unknown>): SupportSession | undefined =>
  crit === undefined ? undefined : { mode: support as SupportMode, operator: operator as string };

/** Whether a token ends within the time that its support session may last. */
const isShort = ({ exp }: { exp: number }, sid: string | undefined): boolean =>
  sid !== undefined && exp * 1000 <= startOf(sid) + SUPPORT_LIFETIME * 1000;

/** The last second that a Date can hold (ECMA-262 §21.4.1.1). */
const MAX_EXP = 8.64e12;

const hasExp = (payload: unknown): payload is { exp: number } => {
  const exp = (payload as { exp?: unknown } | null)?.exp;
  return Number.isInteger(exp) && (exp as number) <= MAX_EXP;
};

function isSession(payload: { exp: number }): payload is SessionClaims {
  const { email, user_id, otp_sent } = payload as Partial<Record<string, unknown>>;
  // No account has an empty user_id. Searching for it would read every account: the index leaves it out.
  const isUserId = user_id === null || (typeof user_id === 'string' && user_id !== '');
  return typeof email === 'string' && isUserId && otp_sent === undefined;
}

/**
 * Returns a UUIDv7 (RFC 9562 §5.7), which carries the time at which the session began.
 * @param random a random UUID that gives the rest.
 */
export function newSessionId(now: number, random: string = randomUUID()): string {
  const time = Math.floor(now).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`;
}

/** Returns whether a `sid` is a UUIDv7. Any other has no start time, so nothing could ever end its session. */
export const isSessionId = (sid: unknown): sid is string =>
  typeof sid === 'string' &&
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(sid);

/** Unix milliseconds. */
export const startOf = (sid: string): number => Number.parseInt(sid.replace('-', '').slice(0, 12), 16);
