import type { FastifyReply } from 'fastify';
import type { Database } from '../../database.ts';
import { sendStream } from '../../send-stream.ts';
import type { ByteRange } from './byte-range.ts';
import type { ExportFile } from './records.ts';

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
  return sendStream(reply, bytesOf(db, export_id, file, range));
}

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
