/** Bytes of the longest record. A longer one is read past, not stored. */
const MAX_RECORD = 64 * 1024;

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const [OPEN_BRACE, CLOSE_BRACE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

/** One record of a file, with the line where it begins; `text` is absent if it cannot be read. */
export interface FileRecord {
  line: number;
  text?: string;
  problem?: string;
}

/**
 * Tells byte by byte where records are. In UTF-8 the characters that decide are no part of another one, so a record with
 * broken UTF-8 does not hide the next.
 */
type Scan = (byte: number) => 'outside' | 'inside' | 'last';

/** A record for each line. */
export const byLine = (): Scan => (byte) => (byte === NEWLINE ? 'last' : 'inside');

/** A record for each row of CSV (RFC 4180): a quoted field may hold line breaks. */
export function byCsvRow(): Scan {
  let isQuoted = false;
  return (byte) => {
    if (byte === QUOTE) isQuoted = !isQuoted;
    return byte === NEWLINE && !isQuoted ? 'last' : 'inside';
  };
}

/** A record for each object in a list of JSON: the whole document, or a field of the object that it is. */
export function byElement(field?: string): Scan {
  let depth = 0;
  /** The depth of the elements; zero before and after the list. */
  let listDepth = 0;
  let isString = false;
  let isEscaped = false;
  let latest = '';
  const string = (byte: number) => {
    if (isEscaped) isEscaped = false;
    else if (byte === BACKSLASH) isEscaped = true;
    else if (byte === QUOTE) isString = false;
    else if (depth === 1 && latest.length < 64) latest += String.fromCharCode(byte);
  };
  const isInside = () => listDepth > 0 && depth > listDepth;
  return (byte) => {
    if (isString) string(byte);
    else if (byte === QUOTE) {
      isString = true;
      latest = '';
    } else if (byte === OPEN_LIST || byte === OPEN_BRACE) {
      if (byte === OPEN_LIST && (depth === 0 ? field === undefined : depth === 1 && latest === field))
        listDepth = depth + 1;
      depth += 1;
    } else if (byte === CLOSE_LIST || byte === CLOSE_BRACE) {
      depth -= 1;
      if (listDepth > 0 && depth === listDepth) return 'last';
      if (depth < listDepth) listDepth = 0;
    }
    return isInside() ? 'inside' : 'outside';
  };
}

/** Yields the records of a file. Memory holds one of them at a time. */
export async function* splitRecords(source: AsyncIterable<Buffer>, scan: Scan): AsyncGenerator<FileRecord> {
  let line = 1;
  let begin = 0;
  let length = 0;
  let parts: Buffer[] = [];
  const take = (piece: Buffer) => {
    length += piece.length;
    if (length <= MAX_RECORD) parts.push(Buffer.from(piece));
    else parts = [];
  };
  const finish = (): FileRecord => {
    const record = read(begin, length, parts);
    [begin, length, parts] = [0, 0, []];
    return record;
  };
  for await (const chunk of source) {
    let from = -1;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      const place = scan(byte);
      if (place !== 'outside' && from < 0) from = at;
      if (place !== 'outside' && begin === 0) begin = line;
      if (byte === NEWLINE) line += 1;
      if (place !== 'last') continue;
      take(chunk.subarray(from, at + 1));
      yield finish();
      from = -1;
    }
    if (from >= 0) take(chunk.subarray(from));
  }
  if (length > 0) yield finish();
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function read(line: number, length: number, parts: readonly Buffer[]): FileRecord {
  if (length > MAX_RECORD) return { line, problem: `is longer than ${MAX_RECORD / 1024} KiB` };
  try {
    return { line, text: utf8.decode(Buffer.concat(parts)) };
  } catch {
    return { line, problem: 'is not UTF-8' };
  }
}
