import { createInterface } from 'node:readline/promises';
import { styleText } from 'node:util';
import { UsageError } from './exit.ts';

type Style = Parameters<typeof styleText>[0];

/** Milliseconds between two lines of progress that are not written over each other. */
const INTERVAL = 5_000;

/**
 * Characters that a terminal obeys instead of showing, or that show other text in another order: controls of C0 and C1,
 * line and paragraph separators, and those of bidirectional text.
 */
const ACTIVE = /[\p{Cc}\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu;

/** Makes a text from elsewhere, such as a name that a person chose, harmless for a terminal. */
export const harmless = (text: string): string => text.replace(ACTIVE, '\ufffd');

/** A document as JSON. What `JSON.stringify` leaves of such characters is escaped, so the document stays the same. */
const jsonOf = (document: object): string =>
  JSON.stringify(document, null, 2).replaceAll(
    /(?!\n)[\p{Cc}\u2028-\u202e\u2066-\u2069\u200e\u200f\u061c]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** What a command says: results on standard output, progress on standard error. */
export interface Terminal {
  /** Writes the result: the lines, or the document with `--json`. Lines come from `text`, `paint` and `table`. */
  result(document: object, lines: () => string[]): void;
  /** Writes lines before the result, to standard error with `--json`. They come from `text`, `paint` and `table`. */
  show(lines: readonly string[]): void;
  /** Shows how far a long command is, on one line of a terminal, elsewhere now and then. */
  progress(text: string): void;
  /** Colors a text of `result`, on a terminal only. */
  paint(style: Style, text: string): string;
  /** A text of `result` in which names cannot control the terminal. */
  text(text: string): string;
  /** The lines of a table. */
  table(columns: readonly string[], rows: readonly (readonly unknown[])[]): string[];
  /** Asks before what cannot be undone. @throws {UsageError} unless the answer is yes, or if nobody can be asked. */
  confirm(question: string): Promise<void>;
}

export function createTerminal({ isJson }: { isJson: boolean }): Terminal {
  const { stdin, stdout, stderr } = process;
  let latest = 0;
  let isOpen = false;
  const closeLine = () => {
    if (isOpen) stderr.write('\n');
    isOpen = false;
  };
  // Honors NO_COLOR and FORCE_COLOR too.
  const paint = (style: Style, text: string) => styleText(style, harmless(text), { stream: stdout });
  return {
    result(document, lines) {
      closeLine();
      stdout.write(isJson ? `${jsonOf(document)}\n` : `${lines().join('\n')}\n`);
    },
    show(lines) {
      closeLine();
      for (const line of lines) (isJson ? stderr : stdout).write(`${line}\n`);
    },
    progress(text) {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${harmless(text)}`);
        isOpen = true;
        return;
      }
      if (performance.now() - latest < INTERVAL && latest !== 0) return;
      latest = performance.now();
      stderr.write(`${harmless(text)}\n`);
    },
    paint,
    text: harmless,
    table(columns, rows) {
      if (rows.length === 0) return ['none'];
      const cells = rows.map((row) => row.map((cell) => harmless(cell == null ? '-' : String(cell))));
      const widths = columns.map((column, index) =>
        Math.max(column.length, ...cells.map((row) => row[index]?.length ?? 0)),
      );
      const lineOf = (row: readonly string[]) =>
        row
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd();
      return [paint('bold', lineOf(columns)), ...cells.map(lineOf)];
    },
    async confirm(question) {
      if (!stdin.isTTY) throw new UsageError(`${harmless(question)} Nobody can be asked here: add --yes`);
      const prompt = createInterface({ input: stdin, output: stderr });
      try {
        const answer = await prompt.question(`${harmless(question)} [y/N] `);
        if (!/^y(?:es)?$/i.test(answer.trim())) throw new UsageError('not confirmed; nothing was changed');
      } finally {
        prompt.close();
      }
    },
  };
}
