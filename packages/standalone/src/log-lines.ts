import type { Readable, Writable } from 'node:stream';
import { prettyFactory } from 'pino-pretty';

/** Where lines are printed; `hasColors` is there on a terminal only. */
type Destination = Writable & { hasColors?: () => boolean };

/** Prints what a process writes, each line after the process's name, with pino's JSON made readable. */
export function printLines(name: string, output: Readable, destination: Destination = process.stdout): void {
  const prettify = prettyFactory({
    colorize: destination.hasColors?.() ?? false,
    ignore: 'pid,hostname,service,reqId',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  });
  const readable = (line: string): string => {
    if (!line.startsWith('{"level":')) return line;
    try {
      return prettify(JSON.parse(line, escapeControls)).trimEnd();
    } catch {
      return line;
    }
  };
  const print = (line: string) => {
    for (const text of readable(line).split('\n')) destination.write(`${name.padEnd(8)} │ ${text}\n`);
  };
  let rest = '';
  // Not node:readline, which also splits at U+2028: a client's text could then begin a line.
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) print(line);
  });
  output.on('end', () => rest && print(rest));
}

/** Escapes control characters: text from a client must not drive the terminal or forge a line. */
const escaped = (text: string): string =>
  text.replace(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Escapes keys and strings as JSON.parse's reviver; a stack keeps its lines. */
function escapeControls(key: string, value: unknown): unknown {
  if (typeof value === 'string')
    return key === 'stack' ? value.split('\n').map(escaped).join('\n') : escaped(value);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [escaped(name), field]));
}
