import { duplicatePositions, redactBulkError } from '@gatehouse/shared/data/bulk-errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import { auditJob } from '@gatehouse/shared/identity/audit';
import type { FastifyBaseLogger } from 'fastify';
import { MongoBulkWriteError, type WriteError } from 'mongodb';
import { describe, expect, test } from 'vitest';

/** The driver's error for a bulk write with these failures. */
function bulkError({ codes = [], unconfirmed = false }: { codes?: number[]; unconfirmed?: boolean }) {
  const writeErrors = codes.map(
    (code, index) => ({ code, index, op: { payload: 'secret' } }) as never as WriteError,
  );
  const concern = unconfirmed ? { code: 64 } : undefined;
  const result = { getWriteConcernError: () => concern } as never;
  const first = writeErrors[0] ?? concern;
  return new MongoBulkWriteError({ message: 'secret', code: first?.code ?? 0, writeErrors }, result);
}
const thrownBy = (work: () => unknown): Error => {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};

test('the indexes of duplicates are returned', () => {
  expect(duplicatePositions(bulkError({ codes: [11000, 11000] }))).toEqual(new Set([0, 1]));
});

test('an error of another kind is thrown as it is', () => {
  const error = new Error('other');
  expect(thrownBy(() => duplicatePositions(error))).toBe(error);
  expect(thrownBy(() => redactBulkError(error))).toBe(error);
});

test('other failures are thrown without documents', () => {
  const error = thrownBy(() => duplicatePositions(bulkError({ codes: [11000, 121] })));
  expect(error.message).toBe('bulk write failed (MongoDB codes 11000, 121)');
  expect(JSON.stringify(error)).not.toContain('secret');
});

describe('a write that no majority confirmed', () => {
  test.each([[[]], [[11000]]])('is unavailable with the failures %j', (codes) => {
    const error = thrownBy(() => duplicatePositions(bulkError({ codes, unconfirmed: true })));
    expect((error.cause as Error).message).toBe(
      `bulk write failed (MongoDB codes ${[...codes, 64].join(', ')})`,
    );
    expect(toAppError(error).reason).toBe('unavailable');
  });

  test('is not stored for a job that repeats its audit events', async () => {
    const insertMany = () => Promise.reject(bulkError({ codes: [11000], unconfirmed: true }));
    const db = { auditEvents: { insertMany } } as unknown as Parameters<typeof auditJob>[0];
    const log = { info: () => {} } as unknown as FastifyBaseLogger;
    const event = { action: 'user.create', event_id: 'e' } as never;
    await expect(auditJob(db, { id: 'job', log }, 0, [event])).rejects.toThrow('Service unavailable');
  });
});
