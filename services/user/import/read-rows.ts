import { parseCsv } from './parse-csv.ts';
import { byCsvRow, byElement, byLine, type FileRecord, splitRecords } from './split-records.ts';

/** The fields of a person as the file has them, or why they cannot be read. */
export type Row = { line: number } & ({ fields: Fields } | { problem: string });

export type Fields = Record<string, unknown>;

/**
 * Yields the rows of a file: CSV with a header, a list of JSON objects, or an object on each line, whatever its first
 * character says.
 * @param list the field that holds the rows where the file is one JSON object.
 */
export async function* readRows(source: AsyncIterable<Buffer>, list?: string): AsyncGenerator<Row> {
  const { first, rest } = await peek(source);
  if (first === '[') return yield* readJson(splitRecords(rest, byElement()));
  if (first === '{') return yield* readJson(splitRecords(rest, list ? byElement(list) : byLine()));
  yield* readCsv(splitRecords(rest, byCsvRow()));
}

async function* readJson(records: AsyncIterable<FileRecord>): AsyncGenerator<Row> {
  for await (const { line, text, problem = '' } of records) {
    if (text === undefined) yield { line, problem };
    else if (text.trim() !== '') yield { line, ...parsed(text) };
  }
}

function parsed(text: string): { fields: Fields } | { problem: string } {
  try {
    const fields: unknown = JSON.parse(text);
    if (isObject(fields)) return { fields };
  } catch {}
  return { problem: 'is not a JSON object' };
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function* readCsv(records: AsyncIterable<FileRecord>): AsyncGenerator<Row> {
  let header: string[] | undefined;
  for await (const { line, text, problem = '' } of records) {
    if (text?.trim() === '') continue;
    try {
      if (text === undefined) throw new Error(problem);
      const values = parseCsv(text);
      if (!header) {
        header = values;
        continue;
      }
      if (values.length !== header.length)
        throw new Error(`has ${values.length} fields where the header has ${header.length}`);
      yield { line, fields: Object.fromEntries(header.map((name, index) => [name, values[index]])) };
    } catch (error) {
      yield { line, problem: (error as Error).message };
      // Without a header no row means anything.
      if (!header) return;
    }
  }
}

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns the first character that is no white space, and everything but a byte order mark. */
async function peek(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let first = '';
  while (first === '' && head.length < 1_024) {
    const { done, value } = await chunks.next();
    if (done) break;
    head = Buffer.concat([head, value]);
    if (head.length < BOM.length) continue;
    if (head.subarray(0, BOM.length).equals(BOM)) head = head.subarray(BOM.length);
    first = head.toString().trimStart()[0] ?? '';
  }
  async function* rest() {
    yield head;
    for (;;) {
      const { done, value } = await chunks.next();
      if (done) return;
      yield value;
    }
  }
  return { first: first || (head.toString().trimStart()[0] ?? ''), rest: rest() };
}
