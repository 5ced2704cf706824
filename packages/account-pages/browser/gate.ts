import { type CallInit, createCalls, GatehouseError } from 'gatehouse/calls';
import { noteBudget } from './budget.ts';
import { language } from './config.ts';
import { forgetAnswers } from './kept-answer.ts';
import { clock } from './server-clock.ts';
import { currentSession, endSession } from './session.ts';
import { formatNumber, formatTime, formatWait, texts } from './texts.ts';

/** A call that failed, with a message for the reader. The `details` of some list the next steps. */
export class ApiError extends GatehouseError {
  declare readonly details: Record<string, unknown>;
  /** The field that the message is about. */
  readonly field: string | undefined;

  constructor(message: string, { field, reason = 'unexpected', ...context }: Partial<ApiError> = {}) {
    super(reason, message, context);
    this.field = field;
  }
}

/** Asks the person to confirm that they are there. The app sets it: what it shows calls the API too. */
let confirmIdentity = async (_methods: readonly string[]): Promise<void> => {};
export const confirmBy = (confirm: typeof confirmIdentity): void => {
  confirmIdentity = confirm;
};

const calls = createCalls({
  defaults: { credentials: 'same-origin', cache: 'no-store', redirect: 'error' },
  // The reader may have chosen another language than the browser's; what is mailed follows.
  headers: { 'accept-language': language },
  readFailure,
  // The person sees the failure, and what they can do.
  retries: 0,
  clock,
  bearer: () => currentSession()?.token,
  hasSession: () => currentSession() !== undefined,
  onResponse({ status, headers }, { method, path }) {
    if (method !== 'GET' || status === 403 || status === 404) forgetAnswers();
    if (!path.startsWith('/v2/')) noteBudget(headers);
  },
  onUnreachable: ({ method }) => method !== 'GET' && forgetAnswers(),
  // The session has ended elsewhere; the session of this tab may have changed since the call began.
  onRefused: (bearer) => bearer === currentSession()?.token && endSession('expired'),
  confirm: (methods) => confirmIdentity(methods),
});

/** Calls the public API. @throws {ApiError} */
const call = <T>(method: string, path: string, init: CallInit = {}): Promise<T> =>
  calls.json<T>(path, { ...init, method }).catch(explain);

/** Calls the public API for a file. @throws {ApiError} */
export const getFile = (path: string): Promise<Response> => calls.send(path, { isFile: true }).catch(explain);

/** Rephrases that no answer came. `readFailure` has done so with the others. */
function explain(error: unknown): never {
  if (!(error instanceof GatehouseError) || error.reason !== 'unreachable') throw error;
  throw new ApiError(navigator.onLine ? texts.errors.unreachable : texts.errors.offline, {
    reason: 'unreachable',
  });
}

function readFailure({ status, headers }: Pick<Response, 'status' | 'headers'>, answer: unknown): ApiError {
  const { detail, error = {} } = (answer ?? {}) as {
    detail?: string;
    error?: { code?: string; message?: string; details?: unknown; request_id?: string };
  };
  const retryAfter = Number(headers.get('retry-after')) || undefined;
  const details = {
    status,
    code: error.code ?? '',
    ...(error.code === 'CONFIRMATION_REQUIRED' && { reason: 'confirmationRequired' as const }),
    requestId: error.request_id ?? headers.get('x-request-id') ?? '',
    retryAfter,
    ...(isRecord(error.details) && { details: error.details }),
  };
  if (status === 429) {
    const seconds = retryAfter ?? 60;
    const again = formatTime(Date.now() + seconds * 1000);
    return new ApiError(texts.errors.tooMany(formatWait(seconds), again), details);
  }
  // Services of the platform may send something else than a text.
  const message =
    [detail, error.details, error.message].find((text) => typeof text === 'string') ??
    texts.errors.unexpected;
  const known = texts.errors.known[message] ?? quotaText(message);
  if (status >= 500) return new ApiError(known ?? texts.errors.unavailable, details);
  // A message about a field begins with the name of the field, perhaps with a position in it: `networks.0 must be…`.
  const [, field, problem = ''] = /^(\w+)(?:\.\w+)* ((?:is|must) .+)$/.exec(message) ?? [];
  const shown = known ?? (field ? texts.errors.field(problem) : message);
  return new ApiError(shown, { ...details, field: field ?? FIELDS[message] });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Explains that a plan allows no more: `A department on the Free plan has at most 1000 members`. */
function quotaText(message: string): string | undefined {
  const [, plan = '', limit, kind] = /on the (\w+) plan has at most (\d+) (\w+)$/.exec(message) ?? [];
  const words = texts.errors.quotas[kind as keyof typeof texts.errors.quotas];
  return words?.(plan, formatNumber(Number(limit)));
}

/** The fields that messages without a field are about. */
const FIELDS: Record<string, string> = {
  'User not found': 'email',
  'Email already registered': 'email',
  'Invalid code': 'code',
  'Invalid OTP': 'otp',
  'OTP expired': 'otp',
  'Invalid or expired OTP': 'otp',
  'reCAPTCHA validation failed': 'recaptcha_token',
};

const asJson = (body: unknown) => ({
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
});

/** Calls of the Catalogue contract. A POST of a session carries an Idempotency-Key. */
export const get = <T>(path: string, token?: string): Promise<T> => call<T>('GET', path, { bearer: token });
export const post = <T>(path: string, body: unknown = {}): Promise<T> => call<T>('POST', path, asJson(body));
/** Calls that need no session, also if there is one. */
export const postAnonymously = <T>(path: string, body: unknown): Promise<T> =>
  call<T>('POST', path, { bearer: null, ...asJson(body) });
export const put = <T>(path: string, body: unknown): Promise<T> => call<T>('PUT', path, asJson(body));
export const patch = <T>(path: string, body: unknown): Promise<T> => call<T>('PATCH', path, asJson(body));
export const remove = <T>(path: string, body?: unknown): Promise<T> =>
  call<T>('DELETE', path, body === undefined ? {} : asJson(body));

/** Ends the session of a token, also while the page is being left. */
export const logout = (token: string): Promise<unknown> =>
  call('POST', '/api/v1/auth/logout', { bearer: token, keepalive: true, ...asJson({}) });

/** Posts a form of the Direct contract. */
export const postForm = <T>(path: string, fields: Record<string, string>): Promise<T> =>
  call<T>('POST', path, { body: new URLSearchParams(fields) });
