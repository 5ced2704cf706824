import type { FastifyBaseLogger } from 'fastify';
import { type DestinationStream, pino } from 'pino';

/** Safety net: these are never logged. */
const SECRETS = ['password', 'new_password', 'otp', 'token', 'recaptcha_token', 'authorization'];

/** Creates the logger of one service. It writes JSON lines to `stream`, by default standard output. */
export const createLogger = (
  service: string,
  level: string,
  stream: DestinationStream = pino.destination(1),
): FastifyBaseLogger =>
  pino({ level, base: { service }, redact: SECRETS.flatMap((secret) => [secret, `*.${secret}`]) }, stream);
