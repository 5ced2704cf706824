import { AppError } from './errors.ts';

/** The parts of a library error that decide what the client sees. */
interface LibraryError {
  statusCode?: number;
  /** The part of the request that failed validation. */
  validationContext?: string;
  validation?: { instancePath?: string; message?: string; params?: { issue?: { code?: string } } }[];
}

/** Converts an error of a library to the failure shown to the client. Its own text stays in `cause`. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { statusCode = 500, validation, validationContext = 'body' } = (error ?? {}) as LibraryError;
  const [issue] = validation ?? [];
  if (issue) {
    const field = issue.instancePath?.replace(/^\//, '').replaceAll('/', '.') || validationContext;
    const reason = issue.message === 'is required' ? 'missingField' : 'invalidFormat';
    return new AppError(reason, { text: `${field} ${issue.message}`, cause: error });
  }
  if (isDatabaseUnavailable(error)) return new AppError('unavailable', { cause: error });
  if (statusCode >= 502 && statusCode <= 504) return new AppError('unavailable', { cause: error });
  if (statusCode === 404 || statusCode === 405) return new AppError('notFound', { cause: error });
  if (statusCode >= 400 && statusCode < 500) return new AppError('invalidFormat', { cause: error });
  return new AppError('internal', { cause: error });
}

const CONNECTION_ERROR =
  /^(?:Mongo(?:ServerSelection|UnexpectedServerResponse|StalePrimary|ExpiredSession|Network|NetworkTimeout|WaitQueueTimeout|PoolCleared|PoolClosed|NotConnected|TopologyClosed|ServerClosed|ClientClosed)|PoolClearedOnNetwork)Error$/;
const UNAVAILABLE_CODES: readonly unknown[] = [
  64, // WriteConcernTimeout: a majority of the replica set did not confirm the write in time
  'EPIPE', // the server closed the connection before the driver wrote to it
];
/** Labels of the driver and the server for errors after which the same call may succeed. */
const RETRYABLE = ['RetryableWriteError', 'RetryableError', 'ResetPool'];

/** Returns whether MongoDB's driver could not reach the database or lost it. */
const isDatabaseUnavailable = (error: unknown): boolean => {
  const {
    name = '',
    code,
    errorLabelSet,
  } = (error ?? {}) as {
    name?: string;
    code?: unknown;
    errorLabelSet?: Set<string>;
  };
  return (
    CONNECTION_ERROR.test(name) ||
    UNAVAILABLE_CODES.includes(code) ||
    RETRYABLE.some((label) => errorLabelSet?.has(label))
  );
};
