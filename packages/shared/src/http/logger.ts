import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/** Safety net: these are never logged. */
const SECRETS = ['password', 'new_password', 'otp', 'token', 'recaptcha_token', 'authorization'];

/** @fastify/multipart logs the headers of a form at the level trace. */
const HEADERS_OF_FORMS = 'busboyOptions.headers';

/** Bytes that wait for a reader of standard output that is too slow. Lines beyond them are dropped. */
const MAX_WAITING = 16 * 1024 * 1024;

const IS_ERROR = /^\{"level":[56]0,/;

/**
 * Standard output. One write for each line would cost a service as much as its own work, so lines are written together:
 * at 4 KiB, after a second, with an error, and at the exit. A process that is killed loses those of its last second.
 */
const output = pino.destination({
  dest: 1,
  sync: false,
  minLength: 4_096,
  maxLength: MAX_WAITING,
  periodicFlush: 1_000,
});

const standardOutput: DestinationStream = {
  write(line) {
    output.write(line);
    if (IS_ERROR.test(line)) flushLogs();
  },
};

/** Writes what waits. Call it before the process is killed. */
export function flushLogs(): void {
  try {
    output.flushSync();
  } catch {} // the reader is gone or full
}

export interface Loggers {
  logger: FastifyBaseLogger;
  /** For lines whose fields can hold no secret: it has no safety net, whose search costs more than a short line. */
  plain: FastifyBaseLogger;
}

/** Creates the loggers of one service. They write JSON lines to `stream`, by default standard output. */
export function createLoggers(
  service: string,
  level: string,
  stream: DestinationStream = standardOutput,
): Loggers {
  const options = { level, base: { service } };
  const redact = [...SECRETS.flatMap((secret) => [secret, `*.${secret}`]), HEADERS_OF_FORMS];
  return { logger: pino({ ...options, redact }, stream), plain: pino(options, stream) };
}
