import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import type { Prefix } from '@gatehouse/shared/contract/prefixes';
import { AppError } from '@gatehouse/shared/http/errors';
import type { FastifyRequest } from 'fastify';
import { type Dispatcher, Pool } from 'undici';
import { readText } from '../request-json.ts';
import { forwardedRequestHeaders, forwardedResponseHeaders } from './forwarded-headers.ts';
import { hasBody } from './request-body.ts';
import type { UpstreamResponse } from './response.ts';

/** Bytes of the largest response that `post` accepts. */
const MAX_RESPONSE = 1024 * 1024;
/** Bytes up to which a forwarded response is buffered. */
const MAX_BUFFERED = 64 * 1024;
/** A media type that Fastify can parse. It would replace any other before a body that is not a stream. */
const MEDIA_TYPE = /^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+ *(?:;|$)/;
/** CONTRACT.md §Statuses: any other status from our own services is an error. */
const STATUSES = new Set([200, 201, 202, 400, 401, 403, 404, 409, 429, 500, 503]);

export interface ForwardOptions {
  /** Replaces the client's body; a stream must yield the same bytes. */
  body?: Readable | Buffer | null | undefined;
  /** Cancels the call, even while the response is being sent. */
  signal?: AbortSignal | undefined;
}

export interface UpstreamRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/**
 * A service behind the gateway, reached over keep-alive connections. No request is ever retried.
 * @param timeout milliseconds that the service may be silent.
 */
export function createUpstream(url: string, timeout: number) {
  const { origin, pathname } = new URL(url);
  /** Without a trailing slash. */
  const basePath = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    connections: null, // unlimited: slow calls must not block others
    connectTimeout: 5_000,
    headersTimeout: timeout,
    bodyTimeout: timeout,
  });
  const unavailable = (path: string, cause: unknown) => {
    if (cause instanceof AppError) return cause;
    const [withoutQuery] = path.split('?', 1); // a query may hold secrets, and this is logged
    return new AppError('unavailable', { cause: new Error(`${origin}${withoutQuery}`, { cause }) });
  };
  const send = async (
    { method, path, headers }: UpstreamRequest,
    { body = null, signal }: ForwardOptions = {},
  ): Promise<UpstreamResponse> => {
    try {
      const options = { path, headers, body, ...(signal && { signal }) };
      const response = await pool.request({ method: method as 'GET', ...options });
      if (response.statusCode > 599) {
        response.body.on('error', () => {}).destroy();
        throw new Error(`status ${response.statusCode}`);
      }
      return await received(method, response);
    } catch (error) {
      throw unavailable(path, error);
    }
  };

  return {
    origin,
    basePath,
    /** Sends one request; `path` begins with `basePath`. @throws {AppError} as `forward` does. */
    send,
    /**
     * Forwards a call with its path, query and body.
     * @throws {AppError} unavailable when the service is down, silent or breaks HTTP; or what `body` failed with.
     */
    forward(request: FastifyRequest, { body = bodyOf(request), signal }: ForwardOptions = {}) {
      const target = {
        method: request.method,
        path: basePath + request.url,
        headers: forwardedRequestHeaders(request),
      };
      return send(target, { body, signal });
    },
    /**
     * Posts content that the gateway has parsed and serialized again. Nothing else of the client's request is sent,
     * except its address, protocol, program, language and request ID.
     * @throws {AppError} unavailable when the service is down, slow or answers outside the contract.
     */
    async post(
      path: string,
      { type, text }: { type: string; text: string },
      request: FastifyRequest,
    ): Promise<UpstreamResponse> {
      try {
        const response = await pool.request({
          method: 'POST',
          path: basePath + path,
          headers: {
            'content-type': type,
            'x-request-id': request.id,
            'x-forwarded-for': request.ip,
            'x-forwarded-proto': request.protocol,
            ...pick(request.headers, 'user-agent', 'accept-language'),
          },
          body: text,
          signal: AbortSignal.timeout(timeout),
        });
        const body = await readText(response.body, MAX_RESPONSE);
        if (!STATUSES.has(response.statusCode)) throw new Error(`status ${response.statusCode}`);
        if (!String(response.headers['content-type']).startsWith('application/json'))
          throw new Error('not JSON');
        if (!(JSON.parse(body) instanceof Object)) throw new Error('not a JSON object');
        const { 'retry-after': retryAfter, 'cache-control': cacheControl } = response.headers;
        return {
          status: response.statusCode,
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
    /** Rejects when the service does not answer. */
    async check() {
      const { statusCode, body } = await pool.request({ method: 'GET', path: `${basePath}/health/live` });
      await body.dump();
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    },
    close: () => pool.close(),
  };
}

export type Upstream = ReturnType<typeof createUpstream>;

/** The error for a prefix whose service has no URL. */
export const notConfigured = (prefix: Prefix): AppError =>
  new AppError('unavailable', { text: `No service is configured for ${prefix}/` });

/** The client's body, not read yet; undefined when there is none. */
export const bodyOf = (request: FastifyRequest): Readable | undefined =>
  hasBody(request) ? request.raw : undefined;

/**
 * Reads a small body at once. `npm run bench -- gateway`, goals 0.85 and 1: 0.89 and 1.14 with it, 0.72 and 0.98 without
 * it. @throws when it breaks off.
 */
async function received(method: string, response: Dispatcher.ResponseData): Promise<UpstreamResponse> {
  const { statusCode: status, body } = response;
  const headers = forwardedResponseHeaders(response.headers);
  const hasContent = method !== 'HEAD' && status !== 204 && status !== 304;
  const isTyped = MEDIA_TYPE.test(String(headers['content-type']));
  const isSmall = hasContent && isTyped && Number(headers['content-length']) <= MAX_BUFFERED;
  return { status, headers, body: isSmall ? writable(Buffer.from(await body.arrayBuffer()), headers) : body };
}

/**
 * Node.js writes a string together with the headers, both as UTF-8, and a buffer on its own. `npm run bench -- gateway`,
 * goals 0.85 and 1: 0.89 and 1.14 with it, 0.82 and 0.86 without it.
 */
const writable = (body: Buffer, headers: IncomingHttpHeaders): Buffer | string =>
  isUtf8(body) && Object.values(headers).every(isAscii) ? body.toString('utf8') : body;

const isAscii = (value: string | string[] | undefined): boolean => /^[\0-\x7f]*$/.test(String(value));

/** The headers of these names that there are. */
const pick = (headers: IncomingHttpHeaders, ...names: string[]) =>
  Object.fromEntries(names.filter((name) => name in headers).map((name) => [name, headers[name]]));
