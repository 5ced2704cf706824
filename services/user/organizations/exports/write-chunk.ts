import { bounded } from '@gatehouse/shared/data/bounded';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { Binary } from 'mongodb';
import type { Database } from '../../database.ts';
import { DATA_SETS } from './data-sets.ts';
import type { ExportChunk, ExportFile, ExportJob, Position } from './records.ts';
import { renderChunk } from './render-chunk.ts';

export interface ChunkLimits {
  /** Rows of one chunk. */
  rows: number;
  /** Bytes after which a chunk takes no further row. */
  bytes: number;
}

/** The end of the last chunk, where the export continues. */
export type Written = Pick<ExportChunk, 'seq' | 'files' | 'next'>;

const START: Written = { seq: -1, files: [], next: { set: 0, after: null } };

/** Reads where an export stands; another worker may have continued it. */
export async function lastWritten(db: Database, export_id: string): Promise<Written> {
  const projection = { _id: 0, seq: 1, files: 1, next: 1 };
  const last = db.exportChunks.findOne<Written>({ export_id }, { sort: { seq: -1 }, projection });
  return (await bounded(last)) ?? START;
}

/**
 * Writes the chunk that follows `last`, with one insert whose number is unique.
 * @returns null if another worker has written it.
 */
export async function writeChunk(
  db: Database,
  job: ExportJob,
  last: Written,
  limits: ChunkLimits,
): Promise<Written | null> {
  if (!last.next) return last;
  const chunk = await nextChunk(db, job, last, last.next, limits);
  try {
    await bounded(db.exportChunks.insertOne({ ...chunk }));
    return chunk;
  } catch (error) {
    if (isDuplicateKey(error, 'seq')) return null;
    throw error;
  }
}

async function nextChunk(
  db: Database,
  job: ExportJob,
  last: Written,
  position: Position,
  limits: ChunkLimits,
): Promise<ExportChunk> {
  const { export_id, data, expires_at } = job;
  const set = data[position.set];
  if (set === undefined) throw new Error(`the export has no data set ${position.set}`);
  const read = await bounded(DATA_SETS[set].read(db, job, position.after, limits.rows));
  const fitting = read.slice(0, fit(read, limits.bytes));
  const ends = fitting.length === read.length && read.length < limits.rows;
  const { file, text } = renderChunk(
    job,
    position,
    fitting.map(({ row }) => row),
    ends,
  );
  const content = Buffer.from(text);
  const before = last.files.find((each) => each.file === file) ?? { file, size: 0, rows: 0 };
  const extended: ExportFile = {
    file,
    size: before.size + content.length,
    rows: before.rows + fitting.length,
  };
  const behind = fitting.at(-1)?.after ?? position.after;
  return {
    export_id,
    seq: last.seq + 1,
    file,
    offset: before.size,
    size: content.length,
    content: new Binary(content),
    files: [...last.files.filter((each) => each.file !== file), extended],
    next: ends ? following(position, data.length) : { ...position, after: behind },
    expires_at,
  };
}

/** The number of rows that fit into a chunk, at least one. */
function fit(rows: readonly { row: object }[], bytes: number): number {
  let size = 0;
  const past = rows.findIndex(({ row }, index) => {
    size += JSON.stringify(row).length;
    return index > 0 && size > bytes;
  });
  return past === -1 ? rows.length : past;
}

const following = ({ set }: Position, sets: number): Position | null =>
  set + 1 < sets ? { set: set + 1, after: null } : null;
