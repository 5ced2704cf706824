import { AppError } from '@gatehouse/shared/http/errors';
import { withTimeout } from '@gatehouse/shared/with-timeout';

/** Milliseconds, above the sum of the driver's own limits. */
const TIMEOUT = 20_000;

/**
 * Bounds a call to the database: the driver never times out a command written while its connection closes.
 * @throws {AppError} unavailable
 */
export const bounded = <T>(call: Promise<T>): Promise<T> => withTimeout(call, TIMEOUT, noAnswer);

const noAnswer = () => new AppError('unavailable', { cause: new Error('MongoDB does not answer') });
