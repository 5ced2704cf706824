import { z } from 'zod';

/** Every failure that a client can meet: its status, the text of `detail`, the code of the envelope. */
const ERRORS = {
  // spec §Errors: this 404 reveals whether an account exists, on purpose.
  accountDoesNotExist: [404, 'User does not exist, please create a new account.', 'RESOURCE_NOT_FOUND'],
  invalidCredentials: [401, 'Invalid credentials', 'INVALID_CREDENTIALS'],
  accountNotVerified: [403, 'Account not verified', 'ACCOUNT_NOT_VERIFIED'],
  captchaFailed: [400, 'reCAPTCHA validation failed', 'CAPTCHA_REQUIRED'],
  emailRegistered: [400, 'Email already registered', 'DUPLICATE_RESOURCE'],
  userNotFound: [404, 'User not found', 'RESOURCE_NOT_FOUND'],
  otpExpired: [400, 'OTP expired', 'INVALID_FORMAT'],
  otpInvalid: [400, 'Invalid OTP', 'INVALID_FORMAT'],
  otpInvalidOrExpired: [400, 'Invalid or expired OTP', 'INVALID_FORMAT'],
  missingField: [400, 'A required field is missing', 'MISSING_FIELD'],
  invalidFormat: [400, 'The request is malformed', 'INVALID_FORMAT'],
  // spec §Authentication 3: the three texts of a bearer that is not accepted.
  noAuthorizationHeader: [401, 'No authorization header', 'INVALID_TOKEN'],
  tokenExpired: [401, 'Token expired', 'INVALID_TOKEN'],
  invalidToken: [401, 'Invalid token', 'INVALID_TOKEN'],
  forbidden: [403, 'Forbidden', 'FORBIDDEN'],
  duplicate: [409, 'Resource already exists', 'DUPLICATE_RESOURCE'],
  notFound: [404, 'Not found', 'RESOURCE_NOT_FOUND'],
  rateLimited: [429, 'Too many requests', 'RATE_LIMIT_EXCEEDED'],
  unavailable: [503, 'Service unavailable', 'SERVICE_UNAVAILABLE'],
  internal: [500, 'Internal server error', 'INTERNAL_ERROR'],
} as const satisfies Record<string, readonly [status: number, text: string, code: string]>;

export type ErrorName = keyof typeof ERRORS;

interface Extra {
  /** Replaces the table's text: which field, which limit. Safe to show to a client. */
  text?: string;
  /** Seconds after which trying again makes sense. */
  retryAfter?: number;
  /** The budget that was spent; with `rateLimited`. */
  limit?: number;
  /** What really happened: for the log, never for the client. */
  cause?: unknown;
}

/** A failure that is meant for the client, thrown by its name. */
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

/** What a query found. @throws {AppError} notFound where that is nothing. */
export function found<T>(record: T | null | undefined): T {
  if (record === null || record === undefined) throw new AppError('notFound');
  return record;
}

/** `direct` is the shape under /v2/, `catalogue` the envelope everywhere else (spec §Errors). */
export type Contract = 'direct' | 'catalogue';

/** @param url as the request line has it; RFC 9112 §3.2.2 allows the absolute form. */
export const contractOf = (url: string): Contract =>
  /^(?:[A-Za-z]+:\/\/[^/]*)?\/v2(?:[/?]|$)/.test(url) ? 'direct' : 'catalogue';

/** The body of a failure in either contract; pure. */
export function renderError(
  { reason, message, extra }: AppError,
  { contract, requestId, now }: { contract: Contract; requestId: string; now: number },
) {
  if (contract === 'direct') return { detail: message };
  const code = ERRORS[reason][2];
  if (reason === 'rateLimited') {
    const retry_after = extra.retryAfter ?? 60;
    const reset_at = new Date(now + retry_after * 1000).toISOString();
    return { error: { code, message, retry_after, limit: extra.limit ?? 0, reset_at } };
  }
  const timestamp = new Date(now).toISOString();
  return { error: { code, message: ERRORS[reason][1], details: message, timestamp, request_id: requestId } };
}

interface Foreign {
  statusCode?: number;
  /** Which part of the request fastify held against its schema. */
  validationContext?: string;
  validation?: { instancePath?: string; message?: string; params?: { issue?: { code?: string } } }[];
}

/** What a library threw, as the failure that it means to a client; its own text stays in `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { statusCode = 500, validation, validationContext = 'body' } = (error ?? {}) as Foreign;
  const [issue] = validation ?? [];
  if (issue) {
    const field = issue.instancePath?.replace(/^\//, '').replaceAll('/', '.') || validationContext;
    const reason = issue.message === 'is required' ? 'missingField' : 'invalidFormat';
    return new AppError(reason, { text: `${field} ${issue.message}`, cause: error });
  }
  if (isDatabaseAway(error)) return new AppError('unavailable', { cause: error });
  if (statusCode >= 502 && statusCode <= 504) return new AppError('unavailable', { cause: error });
  if (statusCode === 404 || statusCode === 405) return new AppError('notFound', { cause: error });
  if (statusCode >= 400 && statusCode < 500) return new AppError('invalidFormat', { cause: error });
  return new AppError('internal', { cause: error });
}

/** What the driver and the server call an error after which the same call may succeed. */
const TRY_AGAIN = ['RetryableWriteError', 'RetryableError', 'ResetPool'];

/** Whether MongoDB's driver could not reach, or lost, the database. */
const isDatabaseAway = (error: unknown): boolean => {
  const { name = '', errorLabelSet } = (error ?? {}) as { name?: string; errorLabelSet?: Set<string> };
  const away =
    /^(?:Mongo(?:ServerSelection|UnexpectedServerResponse|StalePrimary|ExpiredSession|Network|NetworkTimeout|WaitQueueTimeout|PoolCleared|PoolClosed|NotConnected|TopologyClosed|ServerClosed|ClientClosed)|PoolClearedOnNetwork)Error$/;
  return away.test(name) || TRY_AGAIN.some((label) => errorLabelSet?.has(label));
};

/** The answers that an operation documents for these failures: one entry a status, with the texts of the table. */
export function failures(contract: Contract, ...names: ErrorName[]) {
  const byStatus = Map.groupBy(names, (name) => ERRORS[name][0]);
  const documented = [...byStatus].map(([status, reasons]) => {
    const texts = [...new Set(reasons.map((reason) => ERRORS[reason][1]))];
    const examples = reasons.map((reason) =>
      renderError(new AppError(reason), { contract, requestId: EXAMPLE_ID, now: EXAMPLE_TIME }),
    );
    const schema: z.ZodType = contract === 'direct' ? detail : status === 429 ? rateLimitEnvelope : envelope;
    return [status, schema.meta({ description: texts.join(' · '), examples })];
  });
  return Object.fromEntries(documented) as Record<number, z.ZodType>;
}

const EXAMPLE_ID = '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21';
const EXAMPLE_TIME = Date.UTC(2026, 0, 15, 9, 30);
const detail = z.object({ detail: z.string() });
const envelope = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.string(),
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

/** What every operation behind a bearer may answer, the gateway in front of it included. */
export const BEARER_FAILURES = [
  'noAuthorizationHeader',
  'tokenExpired',
  'invalidToken',
  'forbidden',
  'rateLimited',
  'unavailable',
] as const satisfies ErrorName[];
