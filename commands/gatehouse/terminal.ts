import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Milliseconds between two lines of progress that are not written over each other. */
const INTERVAL = 5_000;

/** What a command says: results on standard output, progress on standard error. */
export interface Terminal {
  /** Writes the result: the lines, or the document with `--json`. */
  result(document: object, lines: () => string[]): void;
  /** Shows how far a long command is, on one line of a terminal, elsewhere now and then. */
  progress(text: string): void;
  /** Colors a text of `result`, on a terminal only. */
  paint(style: Style, text: string): string;
}

export function createTerminal({ isJson }: { isJson: boolean }): Terminal {
  const { stdout, stderr } = process;
  let latest = 0;
  let isOpen = false;
  const closeLine = () => {
    if (isOpen) stderr.write('\n');
    isOpen = false;
  };
  return {
    result(document, lines) {
      closeLine();
      stdout.write(isJson ? `${JSON.stringify(document, null, 2)}\n` : `${lines().join('\n')}\n`);
    },
    progress(text) {
      if (stderr.isTTY) {
        stderr.write(`\r\u001b[K${text}`);
        isOpen = true;
        return;
      }
      if (performance.now() - latest < INTERVAL && latest !== 0) return;
      latest = performance.now();
      stderr.write(`${text}\n`);
    },
    // Honors NO_COLOR and FORCE_COLOR too.
    paint: (style, text) => styleText(style, text, { stream: stdout }),
  };
}
