import { ERRORS, type ErrorDetails } from './errors.ts';

type Table = typeof ERRORS;
export type FailureReason = keyof Table | 'unreachable' | 'unexpected';

interface Context {
  /** The HTTP status; 0 if no answer came. */
  status?: number;
  /** The code of the error envelope; that of the table for the Direct contract, which sends none. */
  code?: string;
  /** What says how to go on. The type of a failure names its fields. */
  details?: object;
  /** Seconds after which a retry can succeed. */
  retryAfter?: number | undefined;
  /** Names the call in the logs of the services. */
  requestId?: string;
  cause?: unknown;
}

/** A call that failed. `reason` is its name in the error table; `message` is the text for the reader. */
export class GatehouseError extends Error {
  override readonly name = 'GatehouseError';
  readonly reason: FailureReason;
  readonly status: number;
  readonly code: string;
  readonly details: object;
  readonly retryAfter: number | undefined;
  readonly requestId: string;

  constructor(
    reason: FailureReason,
    message: string,
    { status = 0, code = '', details = {}, retryAfter, requestId = '', cause }: Context = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.status = status;
    this.code = code;
    this.details = details;
    this.retryAfter = retryAfter;
    this.requestId = requestId;
  }
}

type Documented = {
  [Reason in keyof Table]: GatehouseError & {
    readonly reason: Reason;
    readonly status: Table[Reason][0];
    readonly code: Table[Reason][2];
    readonly details: Reason extends keyof ErrorDetails ? ErrorDetails[Reason] : object;
  };
}[keyof Table];

/**
 * Every failure, told apart by `reason`: those of the error table, `unreachable` without an answer in time, and
 * `unexpected` for anything else, such as an answer of another service.
 */
export type Failure = Documented | (GatehouseError & { readonly reason: 'unreachable' | 'unexpected' });

const NAMES = Object.keys(ERRORS) as (keyof Table)[];

/** What a failure is whose text the table does not have, because it names a field or a limit. */
const BY_STATUS: Record<number, keyof Table> = {
  400: 'invalidFormat',
  401: 'invalidToken',
  403: 'forbidden',
  404: 'notFound',
  409: 'duplicate',
  429: 'rateLimited',
  500: 'internal',
  503: 'unavailable',
};

/** Reads the failure that a response tells, in the shape of either contract. @param body its JSON, if it has one. */
export function failureOf({ status, headers }: Pick<Response, 'status' | 'headers'>, body: unknown): Failure {
  const { error, detail, ...rest } = recordOf(body);
  const envelope = recordOf(error);
  const known =
    NAMES.find((name) => isRow(name, status, envelope.code, error ? envelope.message : detail)) ??
    NAMES.find((name) => isRow(name, status, envelope.code)) ??
    (typeof detail === 'string' ? BY_STATUS[status] : undefined);
  const text = [detail, envelope.details, envelope.message].find((each) => typeof each === 'string');
  return new GatehouseError(known ?? 'unexpected', (text as string) ?? `HTTP ${status}`, {
    status,
    code: (envelope.code as string) ?? (known ? ERRORS[known][2] : ''),
    details: error ? recordOf(envelope.details) : rest,
    retryAfter: Number(headers.get('retry-after')) || undefined,
    requestId: (envelope.request_id as string) ?? headers.get('x-request-id') ?? '',
  }) as Failure;
}

/** Whether a row of the table has this status and this text or, without one, this code. */
function isRow(name: keyof Table, status: number, code: unknown, text?: unknown): boolean {
  const row = ERRORS[name];
  return row[0] === status && (text === undefined ? row[2] === code : row[1] === text);
}

const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
