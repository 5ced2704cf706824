import { AppError } from '../http/errors.ts';
import { withTimeout } from '../with-timeout.ts';

/** Milliseconds, above the sum of the driver's own limits. */
const TIMEOUT = 20_000;

/**
 * Bounds a call to the database: the driver never times out a command written while its connection closes.
 * @throws {AppError} unavailable
 */
export const bounded = <T>(call: Promise<T>): Promise<T> => withTimeout(call, TIMEOUT, noAnswer);

const noAnswer = () => new AppError('unavailable', { cause: new Error('MongoDB does not answer') });
