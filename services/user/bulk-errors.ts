import { MongoBulkWriteError } from 'mongodb';

/** Rethrows a bulk write's error without its documents, to keep payloads out of the log. */
export function withoutDocuments(error: unknown): never {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const unconfirmed = error.result.getWriteConcernError()?.code;
  const codes = new Set([error.writeErrors].flat().map(({ code }) => code));
  const text = `bulk write failed (MongoDB codes ${[...codes, unconfirmed ?? []].flat().join(', ')})`;
  throw Object.assign(new Error(text), { code: unconfirmed ?? error.code });
}

/** The indexes of the documents that a unique index refused. @throws any other error of the insert. */
export function duplicateIndexes(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const errors = [error.writeErrors].flat();
  // The documents that were new may not have reached a majority.
  const unconfirmed = error.result.getWriteConcernError() !== undefined;
  if (unconfirmed || errors.length === 0 || errors.some(({ code }) => code !== 11000))
    return withoutDocuments(error);
  return new Set(errors.map(({ index }) => index));
}
