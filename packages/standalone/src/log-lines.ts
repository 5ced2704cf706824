import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const LEVELS: Record<number, string> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
};

/** Prints what a process says, a line at a time, under its name; pino's JSON is made readable. */
export function printLines(name: string, output: Readable): void {
  const prefix = `${name.padEnd(8)} │ `;
  createInterface({ input: output }).on('line', (line) => console.log(prefix + readable(line)));
}

/** One line of pino as a person reads it; any other line as it is. */
export function readable(line: string): string {
  if (!line.startsWith('{"level":')) return line;
  try {
    const {
      level,
      time,
      msg,
      err,
      service: _,
      pid: __,
      hostname: ___,
      reqId: ____,
      ...rest
    } = JSON.parse(line);
    const clock = new Date(time).toTimeString().slice(0, 8);
    const details = Object.entries(rest).map(([key, value]) =>
      typeof value === 'number'
        ? `${key}=${Math.round(value * 10) / 10}`
        : `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const stack = String(err?.stack ?? err?.message)
      .split('\n')
      .map(printable)
      .join('\n');
    return [
      clock,
      LEVELS[level] ?? level,
      ...[msg, ...details].map((text) => printable(String(text))),
      ...(err ? [`\n${stack}`] : []),
    ].join(' ');
  } catch {
    return line;
  }
}

/** What a client sent may be in a line: its control characters shall not reach the terminal, nor begin a line. */
const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
