import type { FastifyReply, FastifyRequest } from 'fastify';
import { contractOf, renderError } from './errors.ts';
import { toAppError } from './foreign-errors.ts';

/** Answers any error in the shape of its contract and logs its cause. */
export const errorHandler =
  (now: () => number) => (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const failure = toAppError(error);
    // The client disconnected; not our error.
    if (failure.status >= 500 && !reply.raw.destroyed)
      request.log.error({ err: failure.cause ?? failure }, failure.message);
    else request.log.debug({ reason: failure.reason }, failure.message);
    reply.header('x-request-id', request.id);
    if (failure.extra.retryAfter !== undefined) reply.header('retry-after', failure.extra.retryAfter);
    // Do not read the rest of a refused body.
    if (!request.raw.complete) reply.header('connection', 'close');
    const contract = contractOf(request.url);
    return reply
      .code(failure.status)
      .send(renderError(failure, { contract, requestId: request.id, now: now() }));
  };
