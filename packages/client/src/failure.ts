import type { ERRORS, ErrorDetails } from './errors.ts';

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
