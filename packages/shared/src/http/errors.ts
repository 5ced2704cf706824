import { z } from 'zod';

/** Every failure that a client can see: status, text of `detail`, code of the envelope (CONTRACT.md §Errors). */
export const ERRORS = {
  // CONTRACT.md §Login: the 404 reveals on purpose whether an account exists.
  accountDoesNotExist: [404, 'User does not exist, please create a new account.', 'RESOURCE_NOT_FOUND'],
  invalidCredentials: [401, 'Invalid credentials', 'INVALID_CREDENTIALS'],
  accountNotVerified: [403, 'Account not verified', 'ACCOUNT_NOT_VERIFIED'],
  ssoRequired: [
    403,
    'Your organization requires single sign-on. Please log in through your identity provider.',
    'SSO_REQUIRED',
  ],
  secondFactorRequired: [403, 'Second factor required', 'SECOND_FACTOR_REQUIRED'],
  factorTokenInvalid: [401, 'The login has expired, please log in again', 'INVALID_TOKEN'],
  codeInvalid: [401, 'Invalid code', 'INVALID_CREDENTIALS'],
  passkeyInvalid: [401, 'The passkey was not accepted', 'INVALID_CREDENTIALS'],
  passkeyTokenInvalid: [400, 'The request for a passkey has expired, please try again', 'INVALID_FORMAT'],
  confirmationRequired: [403, 'Please confirm that it is you', 'CONFIRMATION_REQUIRED'],
  enrollmentRequired: [
    403,
    'The organization requires a second factor. Please set one up in your profile and try again.',
    'ENROLLMENT_REQUIRED',
  ],
  supportSessionReadOnly: [403, 'A read-only support session changes nothing', 'SUPPORT_SESSION_READ_ONLY'],
  supportSessionRefused: [403, 'Only the person themselves may do this', 'SUPPORT_SESSION_REFUSED'],
  operatorFactorRequired: [
    403,
    'Operators need a second factor in this session. Please confirm with a code or a passkey; set one up in your profile if you have none.',
    'OPERATOR_FACTOR_REQUIRED',
  ],
  captchaFailed: [400, 'reCAPTCHA validation failed', 'CAPTCHA_REQUIRED'],
  emailRegistered: [400, 'Email already registered', 'DUPLICATE_RESOURCE'],
  userNotFound: [404, 'User not found', 'RESOURCE_NOT_FOUND'],
  otpExpired: [400, 'OTP expired', 'INVALID_FORMAT'],
  otpInvalid: [400, 'Invalid OTP', 'INVALID_FORMAT'],
  otpInvalidOrExpired: [400, 'Invalid or expired OTP', 'INVALID_FORMAT'],
  linkInvalid: [400, 'The link is not valid any more', 'INVALID_FORMAT'],
  missingField: [400, 'A required field is missing', 'MISSING_FIELD'],
  invalidFormat: [400, 'The request is malformed', 'INVALID_FORMAT'],
  // CONTRACT.md §Bearer: the three texts for a refused bearer.
  noAuthorizationHeader: [401, 'No authorization header', 'INVALID_TOKEN'],
  tokenExpired: [401, 'Token expired', 'INVALID_TOKEN'],
  invalidToken: [401, 'Invalid token', 'INVALID_TOKEN'],
  forbidden: [403, 'Forbidden', 'FORBIDDEN'],
  foreignOrigin: [
    403,
    'A call with the session cookie must come from a page of an allowed origin',
    'ORIGIN_NOT_ALLOWED',
  ],
  duplicate: [409, 'Resource already exists', 'DUPLICATE_RESOURCE'],
  lastOwner: [409, 'Hand over or archive every organization that nobody else can lead', 'LAST_OWNER'],
  lastAdmin: [409, 'Please make another operator an admin first', 'LAST_ADMIN'],
  lastWayIn: [
    409,
    'Nothing else opens the account. Please set a password or add another way to log in first.',
    'LAST_WAY_IN',
  ],
  notFound: [404, 'Not found', 'RESOURCE_NOT_FOUND'],
  rangeNotSatisfiable: [416, 'Range not satisfiable', 'INVALID_FORMAT'],
  rateLimited: [429, 'Too many requests', 'RATE_LIMIT_EXCEEDED'],
  unavailable: [503, 'Service unavailable', 'SERVICE_UNAVAILABLE'],
  internal: [500, 'Internal server error', 'INTERNAL_ERROR'],
} as const satisfies Record<string, readonly [status: number, text: string, code: string]>;

export type ErrorName = keyof typeof ERRORS;

/** Examples of `details` that are no text. */
export const EXAMPLE_DETAILS: Partial<Record<ErrorName, Extra['details']>> = {
  secondFactorRequired: {
    factor_token: 'eyJhbGciOiJIUzI1NiIsInR5cCI6ImZhY3Rvcitqd3QifQ.…',
    methods: ['totp', 'recovery_code'],
  },
  confirmationRequired: { methods: ['password'] },
  operatorFactorRequired: { methods: ['totp', 'recovery_code', 'passkey'] },
  enrollmentRequired: { organization_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21' },
  lastOwner: {
    organizations: [{ organization_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21', name: 'Analytical Engines' }],
    departments: [],
  },
};

interface Extra {
  /** Replaces the text of the table, for example to name the field. The client sees it. */
  text?: string;
  /** Replaces `details` in the envelope, and stands beside `detail` in the Direct contract. */
  details?: Readonly<Record<string, unknown>>;
  /** Seconds after which a retry can succeed. */
  retryAfter?: number;
  /** The exceeded limit of a `rateLimited` failure. */
  limit?: number;
  /** The size in bytes of the file that a `rangeNotSatisfiable` failure is about. */
  size?: number;
  /** The original error. It is logged and never shown to the client. */
  cause?: unknown;
}

/** A failure for the client, thrown by its name in the table. */
export class AppError extends Error {
  readonly reason: ErrorName;
  readonly status: number;
  readonly extra: Extra;

  constructor(reason: ErrorName, extra: Extra = {}) {
    super(extra.text ?? ERRORS[reason][1], { cause: extra.cause });
    this.reason = reason;
    this.status = ERRORS[reason][0];
    this.extra = extra;
  }
}

/** Returns the record that a query found. @throws {AppError} notFound when it found none. */
export function orNotFound<T>(record: T | null | undefined): T {
  if (record === null || record === undefined) throw new AppError('notFound');
  return record;
}

/** `direct` is the shape under /v2/, `catalogue` the envelope everywhere else (CONTRACT.md §Errors). */
export type Contract = 'direct' | 'catalogue';

/** @param url the request target; RFC 9112 §3.2.2 allows the absolute form. */
export const contractOf = (url: string): Contract =>
  /^(?:[A-Za-z]+:\/\/[^/]*)?\/v2(?:[/?]|$)/.test(url) ? 'direct' : 'catalogue';

/** Renders the body of a failure in either contract. Pure. */
export function renderError(
  { reason, message, extra }: AppError,
  { contract, requestId, now }: { contract: Contract; requestId: string; now: number },
) {
  if (contract === 'direct') return { detail: message, ...extra.details };
  const code = ERRORS[reason][2];
  if (reason === 'rateLimited') {
    const retry_after = extra.retryAfter ?? 60;
    const reset_at = new Date(now + retry_after * 1000).toISOString();
    return { error: { code, message, retry_after, limit: extra.limit ?? 0, reset_at } };
  }
  const timestamp = new Date(now).toISOString();
  const details = extra.details ?? message;
  return { error: { code, message: ERRORS[reason][1], details, timestamp, request_id: requestId } };
}

/** Returns the OpenAPI responses for these failures: one entry per status, with the texts of the table. */
export function failures(contract: Contract, ...names: ErrorName[]): Record<number, z.ZodType> {
  const byStatus = Map.groupBy(names, (name) => ERRORS[name][0]);
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [status, documented(contract, status, same)]),
  );
}

/** Operations share the schemas of equal answers: a service has hundreds of operations and about thirty answers. */
const shared = new Map<string, z.ZodType>();

function documented(contract: Contract, status: number, names: readonly ErrorName[]): z.ZodType {
  const key = `${contract} ${names}`;
  const known = shared.get(key);
  if (known) return known;
  const texts = [...new Set(names.map((name) => ERRORS[name][1]))];
  const examples = names.map((name) =>
    renderError(new AppError(name, exampleOf(name)), { contract, requestId: EXAMPLE_ID, now: EXAMPLE_TIME }),
  );
  const shape: z.ZodType = contract === 'direct' ? detail : status === 429 ? rateLimitEnvelope : envelope;
  const schema = shape.meta({ description: texts.join(' · '), examples });
  shared.set(key, schema);
  return schema;
}

const exampleOf = (reason: ErrorName): Extra => {
  const details = EXAMPLE_DETAILS[reason];
  return details ? { details } : {};
};

const EXAMPLE_ID = '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21';
const EXAMPLE_TIME = Date.UTC(2026, 0, 15, 9, 30);
const detail = z.looseObject({ detail: z.string() });
const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.union([z.string(), z.record(z.string(), z.unknown())]),
    timestamp: z.string(),
    request_id: z.string(),
  }),
});
const rateLimitEnvelope = z.object({
  error: z.object({
    code: z.literal('RATE_LIMIT_EXCEEDED'),
    message: z.string(),
    retry_after: z.int(),
    limit: z.int(),
    reset_at: z.string(),
  }),
});

/** The failures common to all operations that need a bearer, including those of the gateway. */
export const BEARER_FAILURES = [
  'noAuthorizationHeader',
  'tokenExpired',
  'invalidToken',
  'forbidden',
  'foreignOrigin',
  'rateLimited',
  'unavailable',
] as const satisfies ErrorName[];
