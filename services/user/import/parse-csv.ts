/** Returns the fields of one row of CSV (RFC 4180). @throws {Error} when a quote is misplaced. */
export function parseCsv(row: string): string[] {
  const text = row.replace(/\r?\n$/, '');
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const [, quoted, plain = '', end] = field.exec(text) ?? [];
    if (end === undefined) throw new Error('is not CSV: a quote is misplaced');
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === '') return fields;
  }
}
