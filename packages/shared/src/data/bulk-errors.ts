import { MongoBulkWriteError } from 'mongodb';
import { AppError } from '../http/errors.ts';
import { isDatabaseUnavailable } from './unavailable.ts';

/**
 * Rethrows a bulk write's error without its documents, to keep payloads out of the log.
 * @throws {AppError} unavailable if the same write may succeed later.
 */
export function redactBulkError(error: unknown): never {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const { code = 'none', result } = error;
  const codes = new Set([code, ...codesOf(error), result?.getWriteConcernError()?.code ?? code]);
  const cause = new Error(`bulk write failed (MongoDB codes ${[...codes].join(', ')})`);
  throw isDatabaseUnavailable(error) ? new AppError('unavailable', { cause }) : cause;
}

/** The indexes of the documents that a unique index refused. @throws any other error of the insert. */
export function duplicatePositions(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const codes = codesOf(error);
  // The documents that were new may not have reached a majority.
  const unconfirmed = error.result.getWriteConcernError() !== undefined;
  if (unconfirmed || codes.length === 0 || codes.some((code) => code !== 11000))
    return redactBulkError(error);
  return new Set([error.writeErrors].flat().map(({ index }) => index));
}

const codesOf = ({ writeErrors }: MongoBulkWriteError) => [writeErrors].flat().map(({ code }) => code);
