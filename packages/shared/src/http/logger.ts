import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/** Safety net: these are never logged. */
const SECRETS = ['password', 'new_password', 'otp', 'token', 'recaptcha_token', 'authorization'];

/** @fastify/multipart logs the headers of a form at the level trace. */
const HEADERS_OF_FORMS = 'busboyOptions.headers';

export interface Loggers {
  logger: FastifyBaseLogger;
  /** For lines whose fields can hold no secret: it has no safety net, whose search costs more than a short line. */
  plain: FastifyBaseLogger;
}

/** Creates the loggers of one service. They write JSON lines to `stream`, by default standard output. */
export function createLoggers(
  service: string,
  level: string,
  stream: DestinationStream = pino.destination(1),
): Loggers {
  const options = { level, base: { service } };
  const redact = [...SECRETS.flatMap((secret) => [secret, `*.${secret}`]), HEADERS_OF_FORMS];
  return { logger: pino({ ...options, redact }, stream), plain: pino(options, stream) };
}
