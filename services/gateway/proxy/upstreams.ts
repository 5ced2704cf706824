import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pool } from 'undici';
import { answerHeaders, requestHeaders } from './forwarded-headers.ts';

/** Milliseconds that a service may be silent: ours, and the platform's. */
export const TIMEOUT = { ours: 15_000, platform: 30_000 } as const;
const MAX_ANSWER = 1024 * 1024;
/** Bytes up to which an answer is read whole before it goes on. */
const SMALL = 64 * 1024;
/** Statuses that the specification lists (§Errors); any other from a service of ours is nonsense. */
const STATUSES = new Set([200, 201, 400, 401, 403, 404, 409, 429, 500, 503]);

/** What an upstream said, its body still to be read. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Readable | Buffer | string;
}

/** How a call is passed on where it is not just as it came. */
export interface Passing {
  /** In place of the client's own body; a stream has the same bytes. */
  body?: Readable | Buffer | undefined;
  /** Gives the call up, be it in mid-answer. */
  signal?: AbortSignal | undefined;
}

/** A service behind the gateway, reached over kept-alive connections. Nothing is ever sent twice. */
export interface Upstream {
  /**
   * Passes a call on, path and query as they came, and streams its body.
   * @throws {AppError} unavailable when the service is down, silent or talks nonsense, or what `body` failed with.
   */
  forward(request: FastifyRequest, passing?: Passing): Promise<Answer>;
  /**
   * Sends what the gateway has read itself, written anew, to a path of our choosing: nothing else of the client's
   * request but its address and id goes through.
   * @throws {AppError} unavailable when the service is down, late or talks nonsense.
   */
  post(path: string, content: { type: string; text: string }, request: FastifyRequest): Promise<Answer>;
  /** Rejects when the service does not answer. */
  check(): Promise<unknown>;
  close(): Promise<void>;
}

/** @param patience milliseconds that the service may be silent. */
export function createUpstream(address: string, patience: number): Upstream {
  const { origin, pathname } = new URL(address);
  const base = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    // As many as there are calls: slow ones must not stand in the way of others.
    connections: null,
    connectTimeout: 5_000,
    headersTimeout: patience,
    bodyTimeout: patience,
  });
  const unavailable = (path: string, cause: unknown) =>
    cause instanceof AppError
      ? cause
      : new AppError('unavailable', { cause: new Error(`${origin}${path}`, { cause }) });

  return {
    async forward(request, { body, signal } = {}) {
      const headers = requestHeaders(request);
      const hasBody = 'content-length' in headers || 'transfer-encoding' in request.headers;
      try {
        const answer = await pool.request({
          method: request.method as 'GET',
          path: base + request.url,
          headers,
          body: body ?? (hasBody ? request.raw : null),
          ...(signal && { signal }),
        });
        const { statusCode: status } = answer;
        if (status > 599) {
          answer.body.on('error', () => {}).destroy();
          throw new Error(`status ${status}`);
        }
        // A small answer goes on in one piece, which is cheaper than a stream; a larger one flows.
        const hasContent = request.method !== 'HEAD' && status !== 204 && status !== 304;
        const isTyped = 'content-type' in answer.headers; // fastify would call other bytes an octet-stream
        const isSmall = hasContent && isTyped && Number(answer.headers['content-length']) <= SMALL;
        return {
          status,
          headers: answerHeaders(answer.headers),
          body: isSmall ? Buffer.from(await answer.body.arrayBuffer()) : answer.body,
        };
      } catch (error) {
        throw unavailable(request.url, error);
      }
    },
    async post(path, { type, text }, request) {
      try {
        const answer = await pool.request({
          method: 'POST',
          path: base + path,
          headers: {
            'content-type': type,
            'x-request-id': request.id,
            'x-forwarded-for': request.ip,
            'x-forwarded-proto': request.protocol,
          },
          body: text,
          signal: AbortSignal.timeout(patience),
        });
        const body = await textOf(answer.body);
        if (!STATUSES.has(answer.statusCode)) throw new Error(`status ${answer.statusCode}`);
        if (!String(answer.headers['content-type']).startsWith('application/json'))
          throw new Error('not JSON');
        JSON.parse(body);
        const { 'retry-after': retryAfter, 'cache-control': cacheControl } = answer.headers;
        return {
          status: answer.statusCode,
          headers: {
            'content-type': 'application/json; charset=utf-8',
            ...(typeof retryAfter === 'string' && { 'retry-after': retryAfter }),
            ...(typeof cacheControl === 'string' && { 'cache-control': cacheControl }),
          },
          body,
        };
      } catch (error) {
        throw unavailable(path, error);
      }
    },
    async check() {
      const { statusCode, body } = await pool.request({ method: 'GET', path: `${base}/health/live` });
      await body.dump();
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    },
    close: () => pool.close(),
  };
}

/** The text of an answer. @throws when there is more of it than any answer of ours has. */
async function textOf(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_ANSWER) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Passes an answer on to the client. A body that breaks off breaks the client's connection off too. */
export function relay(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  const vary = reply.getHeader('vary');
  reply.code(status).headers(headers);
  if (vary && headers.vary && headers.vary !== vary) reply.header('vary', `${vary}, ${headers.vary}`);
  // Whoever takes none of a stream for so long is gone, and frees the service.
  if (body instanceof Readable) reply.raw.setTimeout(TIMEOUT.platform);
  return reply.serializer((text: string) => text).send(body);
}
