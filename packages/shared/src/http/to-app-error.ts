import { isDatabaseUnavailable } from '../data/unavailable.ts';
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
