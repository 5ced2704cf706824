import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, type LoggerOptions, pino } from 'pino';
import { channels } from '../tracing/channels.ts';

/** Safety net: these are never logged. */
const SECRETS = ['password', 'new_password', 'otp', 'token', 'recaptcha_token', 'authorization'];

/** @fastify/multipart logs the headers of a form at the level trace. */
const HEADERS_OF_FORMS = 'busboyOptions.headers';

/** Creates the logger of one service. It writes JSON lines to `stream`, by default standard output. */
export function createLogger(
  service: string,
  level: string,
  stream: DestinationStream = pino.destination(1),
): FastifyBaseLogger {
  const redact = [...SECRETS.flatMap((secret) => [secret, `*.${secret}`]), HEADERS_OF_FORMS];
  const options: LoggerOptions = { level, base: { service }, redact };
  channels.logger.publish(options);
  return pino(options, stream);
}
