import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, renderError } from './errors.ts';
import { type FailurePage, unknownAddressPage } from './failure-page.ts';
import { contractOfRequest, protectiveHeaders } from './response-headers.ts';
import { toAppError } from './to-app-error.ts';

/** Headers that stay on an error. Others describe the response that failed; the hooks set theirs again. */
const KEPT = /^(?:access-control-.*|vary|connection)$/;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns the HTML of a failure for a browser; undefined for a client that gets JSON. */
    errorPage?: (failure: AppError, request: FastifyRequest) => FailurePage | undefined;
    /** Renders failures of a protocol that prescribes its own errors; undefined for the shape of the contract. */
    renderFailure?: (failure: AppError, request: FastifyRequest) => RenderedFailure | undefined;
  }
}

export interface RenderedFailure {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Where no route is, a server that has pages shows one to people. */
const errorPageOf = ({ is404, server, routeOptions }: FastifyRequest) =>
  is404 && server.brand ? unknownAddressPage : routeOptions.config?.errorPage;

/** Answers any error in the shape of its contract and logs its cause. */
export function errorHandler(now: () => number) {
  /** Replies that have failed before: a hook failed while their error was sent. */
  const failed = new WeakSet<FastifyReply>();
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = toAppError(error);
    // The client disconnected; not our error.
    if (failure.status >= 500 && !reply.raw.destroyed)
      request.log.error({ err: failure.cause ?? failure }, failure.message);
    else request.log.debug({ reason: failure.reason }, failure.message);

    for (const name of Object.keys(reply.getHeaders())) if (!KEPT.test(name)) reply.removeHeader(name);
    // A stream that fails has set its headers here.
    for (const name of reply.raw.getHeaderNames()) reply.raw.removeHeader(name);
    const contract = contractOfRequest(request);
    const own = request.routeOptions.config?.renderFailure?.(failure, request);
    const status = own?.status ?? failure.status;
    reply.code(status).headers({
      'content-type': 'application/json; charset=utf-8',
      'x-request-id': request.id,
      ...protectiveHeaders(contract, request.url),
    });
    // Details may hold a token, or the ways in which one caller can go on: neither a cache nor an Idempotency-Key keeps them.
    if (failure.extra.details) reply.header('cache-control', 'no-store');
    if (failure.extra.retryAfter !== undefined) reply.header('retry-after', failure.extra.retryAfter);
    if (failure.extra.size !== undefined) reply.header('content-range', `bytes */${failure.extra.size}`);
    // Do not read the rest of a refused body.
    if (!request.raw.complete) reply.header('connection', 'close');

    const page = errorPageOf(request)?.(failure, request);
    if (page) reply.code(page.status ?? status).headers(page.headers);
    if (own) reply.headers(own.headers);
    const body =
      own?.body ??
      page?.body ??
      JSON.stringify(renderError(failure, { contract, requestId: request.id, now: now() }));
    if (!failed.has(reply)) {
      failed.add(reply);
      // A string with a serializer of its own skips the schema of the route and its preSerialization hooks.
      reply.serializer((text: string) => text).send(body);
      return;
    }
    // After a second failure Fastify would write an error body of its own.
    reply.hijack();
    if (reply.raw.headersSent) return void reply.raw.destroy();
    reply.header('content-length', Buffer.byteLength(body));
    reply.raw.writeHead(reply.statusCode, reply.getHeaders() as OutgoingHttpHeaders);
    reply.raw.end(body);
  };
}
