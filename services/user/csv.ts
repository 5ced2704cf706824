/** CSV by RFC 4180, with a header line and CRLF. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = neutralized(typeof value === 'object' ? JSON.stringify(value) : String(value));
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Spreadsheets run a text as a formula if it begins with one of these, in full width too. An apostrophe prevents it. */
const FORMULA = /^\s*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/u;

/** Where a spreadsheet that separates cells by semicolons or tabs, as in many countries, begins a cell within ours. */
const INNER_FORMULA = /(?<=[;\t\r\n]["\s]*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;

const neutralized = (text: string): string => {
  const inner = text.replaceAll(INNER_FORMULA, "'");
  return FORMULA.test(inner) ? `'${inner}` : inner;
};
