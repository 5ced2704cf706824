import { MongoServerError } from 'mongodb';
import { AppError } from '../http/errors.ts';

/** Bounds what a caller's filter can cost the database. */
export const TIME_LIMIT = { maxTimeMS: 5_000 };

const TIMED_OUT = 50; // MaxTimeMSExpired

/** Names the way out when a query with a time limit took too long. @throws {AppError} unavailable. */
export const tooSlow =
  (text: string) =>
  (error: unknown): never => {
    if (error instanceof MongoServerError && error.code === TIMED_OUT)
      throw new AppError('unavailable', { text, cause: error });
    throw error;
  };
