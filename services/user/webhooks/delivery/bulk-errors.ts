import { MongoBulkWriteError } from 'mongodb';

/**
 * What went wrong with a write of many documents, without these: the driver's own error carries them, and with them
 * payloads into the log.
 */
export function withoutDocuments(error: unknown): never {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const codes = new Set([error.writeErrors].flat().map(({ code }) => code));
  throw new Error(`documents could not be written (MongoDB codes ${[...codes].join(', ') || error.code})`);
}

/** The places in a batch of documents whose ids were taken already. @throws what went wrong otherwise. */
export function takenIndexes(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const errors = [error.writeErrors].flat();
  if (errors.length === 0 || errors.some(({ code }) => code !== 11000)) return withoutDocuments(error);
  return new Set(errors.map(({ index }) => index));
}
