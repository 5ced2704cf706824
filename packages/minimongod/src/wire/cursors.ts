import { randomBytes } from 'node:crypto';
import { Long } from 'bson';
import { CommandError } from '../errors.ts';
import { cursorReply } from './reply.ts';

// MongoDB's defaults: https://www.mongodb.com/docs/manual/core/cursors/
const IDLE_TIMEOUT_MS = 10 * 60 * 1000;
const FIRST_BATCH_SIZE = 101;
const MAX_BATCH_BYTES = 16 * 1024 * 1024;

interface OpenCursor {
  readonly namespace: string;
  readonly results: Iterator<Uint8Array>;
  /** Taken from the iterator, but too large for the last batch. */
  pending: Uint8Array | undefined;
  lastUsed: number;
}

export interface Cursors {
  /** Returns the reply with the first batch, and keeps the rest for getMore. */
  open(namespace: string, results: Iterator<Uint8Array>, batchSize?: number, singleBatch?: boolean): Buffer;
  getMore(id: Long, namespace: string, batchSize?: number): Buffer;
  kill(ids: readonly Long[], namespace: string): { killed: Long[]; notFound: Long[] };
  closeIdle(): void;
  closeAll(): void;
}

export function createCursors(clock: () => number = Date.now): Cursors {
  const open = new Map<string, OpenCursor>();

  function take(cursor: OpenCursor, size: number): { batch: Uint8Array[]; done: boolean } {
    const batch: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      if (cursor.pending === undefined) {
        const next = cursor.results.next();
        if (next.done) return { batch, done: true };
        cursor.pending = next.value;
      }
      const { pending } = cursor;
      if (batch.length >= size || (batch.length > 0 && bytes + pending.length > MAX_BATCH_BYTES)) {
        return { batch, done: false };
      }
      batch.push(pending);
      bytes += pending.length;
      cursor.pending = undefined;
    }
  }

  return {
    open(namespace, results, batchSize = FIRST_BATCH_SIZE, singleBatch = false) {
      const cursor: OpenCursor = { namespace, results, pending: undefined, lastUsed: clock() };
      const { batch, done } = take(cursor, batchSize);
      if (done || singleBatch) return cursorReply('firstBatch', batch, Long.ZERO, namespace);
      const id = newId();
      open.set(id.toString(), cursor);
      return cursorReply('firstBatch', batch, id, namespace);
    },
    getMore(id, namespace, batchSize = Number.POSITIVE_INFINITY) {
      const key = id.toString();
      const cursor = open.get(key);
      if (!cursor) throw new CommandError(43, `cursor id ${key} not found`);
      if (cursor.namespace !== namespace) {
        throw new CommandError(
          13,
          `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
        );
      }
      cursor.lastUsed = clock();
      let taken: ReturnType<typeof take>;
      try {
        taken = take(cursor, batchSize);
      } catch (error) {
        open.delete(key);
        throw error;
      }
      if (taken.done) open.delete(key);
      return cursorReply('nextBatch', taken.batch, taken.done ? Long.ZERO : id, namespace);
    },
    kill(ids, namespace) {
      const killed: Long[] = [];
      const notFound: Long[] = [];
      for (const id of ids) {
        const key = id.toString();
        if (open.get(key)?.namespace === namespace && open.delete(key)) killed.push(id);
        else notFound.push(id);
      }
      return { killed, notFound };
    },
    closeIdle() {
      for (const [key, { lastUsed }] of open) if (clock() - lastUsed > IDLE_TIMEOUT_MS) open.delete(key);
    },
    closeAll: () => open.clear(),
  };

  function newId(): Long {
    for (;;) {
      const bytes = randomBytes(8);
      const id = Long.fromBytesBE([...bytes]).shiftRightUnsigned(1);
      if (!id.isZero() && !open.has(id.toString())) return id;
    }
  }
}
