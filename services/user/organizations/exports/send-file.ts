import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Database } from '../../database.ts';
import type { ByteRange } from './byte-range.ts';
import type { ExportFile } from './records.ts';

/**
 * Milliseconds that the gateway may read nothing: longer than the gateway waits for its client. While a client reads
 * slowly, the buffers in between empty for minutes before the gateway reads on.
 */
const IDLE_TIMEOUT = 600_000;

/**
 * Sends a part of a file, chunk by chunk, as fast as it is read. It fails if the export is deleted during the
 * download: the client must not mistake a part for the whole.
 */
export function sendFile(
  reply: FastifyReply,
  db: Database,
  export_id: string,
  file: ExportFile['file'],
  range: ByteRange,
): FastifyReply {
  reply.raw.setTimeout(IDLE_TIMEOUT);
  return reply.send(Readable.from(bytesOf(db, export_id, file, range), { objectMode: false }));
}

/** Answers a HEAD, which would read the whole of a stream and replace the length of everything else. */
export const sendNothing = (reply: FastifyReply): FastifyReply => reply.send(Readable.from([]));

async function* bytesOf(db: Database, export_id: string, file: ExportFile['file'], range: ByteRange) {
  let at = range.start;
  while (at < range.end) {
    // No cursor stays open while the client reads slowly.
    const chunk = await db.exportChunks.findOne(
      { export_id, file, offset: { $lte: at }, size: { $gt: 0 } },
      { sort: { offset: -1 } },
    );
    if (!chunk || chunk.offset + chunk.size <= at) throw new Error(`the export ${export_id} lacks a chunk`);
    const { offset, size, content } = chunk;
    const end = Math.min(offset + size, range.end);
    yield content.value().subarray(at - offset, end - offset);
    at = end;
  }
}
