import { noteBudget } from './budget.ts';
import { language } from './config.ts';
import { forgetAnswers } from './kept-answer.ts';
import { noteServerTime } from './server-clock.ts';
import { currentSession, endSession } from './session.ts';
import { formatNumber, formatTime, formatWait, texts } from './texts.ts';

/** A call that failed, with a message for the reader. */
export class ApiError extends Error {
  readonly status: number;
  /** The code of the Catalogue contract; empty under /v2/. */
  readonly code: string;
  readonly requestId: string;
  /** Seconds after which a retry can succeed. */
  readonly retryAfter: number | undefined;
  /** The field that the message is about. */
  readonly field: string | undefined;
  /** The `details` of the error. For some failures they list the next steps. */
  readonly details: Record<string, unknown>;

  constructor(
    message: string,
    {
      status = 0,
      code = '',
      requestId = '',
      retryAfter,
      field,
      details = {},
    }: Partial<Omit<ApiError, 'message'>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.field = field;
    this.details = details;
  }
}

/** Milliseconds until a call counts as failed. */
const TIMEOUT = 20_000;

interface Call {
  method: string;
  path: string;
  /** The bearer, if it is not the one of the session. */
  token?: string;
  body?: BodyInit;
  headers?: Record<string, string>;
  /** Whether the call outlives the page. */
  keepalive?: boolean;
}

/** Asks the person to confirm that they are there. The app sets it: what it shows calls the API too. */
let confirmIdentity = async (_methods: readonly string[]): Promise<void> => {};
export const confirmBy = (confirm: typeof confirmIdentity): void => {
  confirmIdentity = confirm;
};

/** Calls the public API. @throws {ApiError} */
const call = <T>(request: Call): Promise<T> => confirmed(() => callOnce<T>(request));

/** A call that needs a fresh session asks the person to confirm, and is then made again. @throws {ApiError} */
async function confirmed<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'CONFIRMATION_REQUIRED') throw error;
    await confirmIdentity(error.details.methods as string[]);
    return attempt();
  }
}

async function callOnce<T>(request: Call): Promise<T> {
  const response = await send(request, AbortSignal.timeout(TIMEOUT));
  const answer = await response.json().catch(() => undefined);
  if (response.ok && answer !== undefined) return answer as T;
  throw errorOf(response, answer);
}

/** Calls the public API for a file. Its body may take longer than other answers. @throws {ApiError} */
export const getFile = (path: string): Promise<Response> => confirmed(() => getFileOnce(path));

async function getFileOnce(path: string): Promise<Response> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), TIMEOUT);
  const response = await send({ method: 'GET', path }, controller.signal);
  clearTimeout(timer);
  return response;
}

/** @returns the answer of a call that succeeds. @throws {ApiError} */
async function send(
  { method, path, token, body, headers = {}, keepalive = false }: Call,
  signal: AbortSignal,
): Promise<Response> {
  const bearer = token ?? currentSession()?.token;
  const response = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      // The reader may have chosen another language than the browser's; what is mailed follows.
      'accept-language': language,
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
    keepalive,
    signal,
    ...(body !== undefined && { body }),
  }).catch(() => {
    if (method !== 'GET') forgetAnswers();
    throw new ApiError(navigator.onLine ? texts.errors.unreachable : texts.errors.offline);
  });
  noteServerTime(response.headers);
  if (method !== 'GET' || response.status === 403 || response.status === 404) forgetAnswers();
  if (!path.startsWith('/v2/')) noteBudget(response.headers);
  if (response.ok) return response;
  const error = errorOf(response, await response.json().catch(() => undefined));
  // The session has ended elsewhere; the session of this tab may have changed since the call began.
  const isCurrent = bearer !== undefined && bearer === currentSession()?.token;
  if (isCurrent && error.code === 'INVALID_TOKEN') endSession('expired');
  throw error;
}

function errorOf(response: Response, answer: unknown): ApiError {
  const { detail, error = {} } = (answer ?? {}) as {
    detail?: string;
    error?: { code?: string; message?: string; details?: unknown; request_id?: string };
  };
  const retryAfter = Number(response.headers.get('retry-after')) || undefined;
  const details = {
    status: response.status,
    code: error.code ?? '',
    requestId: error.request_id ?? response.headers.get('x-request-id') ?? '',
    retryAfter,
    ...(isRecord(error.details) && { details: error.details }),
  };
  if (response.status === 429) {
    const seconds = retryAfter ?? 60;
    const again = formatTime(Date.now() + seconds * 1000);
    return new ApiError(texts.errors.tooMany(formatWait(seconds), again), details);
  }
  // Services of the platform may send something else than a text.
  const message =
    [detail, error.details, error.message].find((text) => typeof text === 'string') ??
    texts.errors.unexpected;
  const known = texts.errors.known[message] ?? quotaText(message);
  if (response.status >= 500) return new ApiError(known ?? texts.errors.unavailable, details);
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

/** The keys of calls whose answer was lost: the same call again has no second effect. */
const unanswered = new Map<string, string>();

/** Not `crypto.randomUUID`, which only secure contexts have. */
const randomKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

/** Calls of the Catalogue contract. Creating calls carry an Idempotency-Key. */
export const get = <T>(path: string, token?: string): Promise<T> =>
  call<T>({ method: 'GET', path, ...(token !== undefined && { token }) });
export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  const { headers, ...json } = asJson(body);
  if (!currentSession()) return call<T>({ method: 'POST', path, ...json, headers }); // perhaps with a password
  const content = `${path} ${json.body}`;
  const key = unanswered.get(content) ?? randomKey();
  const identified = { ...headers, 'idempotency-key': key };
  unanswered.delete(content);
  return call<T>({ method: 'POST', path, ...json, headers: identified }).catch((error) => {
    if (error instanceof ApiError && error.status === 0) unanswered.set(content, key);
    throw error;
  });
}
/** Calls that need no session, also if there is one. */
export const postAnonymously = <T>(path: string, body: unknown): Promise<T> =>
  call<T>({ method: 'POST', path, token: '', ...asJson(body) });
export const put = <T>(path: string, body: unknown): Promise<T> =>
  call<T>({ method: 'PUT', path, ...asJson(body) });
export const patch = <T>(path: string, body: unknown): Promise<T> =>
  call<T>({ method: 'PATCH', path, ...asJson(body) });
export const remove = <T>(path: string, body?: unknown): Promise<T> =>
  call<T>({ method: 'DELETE', path, ...(body !== undefined && asJson(body)) });

/** Ends the session of a token, also while the page is being left. */
export const logout = (token: string): Promise<unknown> =>
  call({ method: 'POST', path: '/api/v1/auth/logout', token, keepalive: true, ...asJson({}) });

/** Posts a form of the Direct contract. */
export const postForm = <T>(path: string, fields: Record<string, string>): Promise<T> =>
  call<T>({ method: 'POST', path, body: new URLSearchParams(fields) });
