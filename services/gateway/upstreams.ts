import { AppError } from '@gatehouse/shared/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Pool } from 'undici';

/** Milliseconds that one of our services may take, from dialling to the end of its answer. */
const TIMEOUT = 15_000;
const MAX_ANSWER = 1024 * 1024;
/** Statuses that the specification lists (§Errors); any other from a service of ours is nonsense. */
const STATUSES = new Set([200, 201, 400, 401, 403, 404, 409, 429, 500, 503]);
/** Headers of an answer that go on to the client. */
const PASSED_ON = ['retry-after', 'cache-control'];

/** What an upstream said: whole, and JSON. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** One of our own services, reached over kept-alive connections. */
export interface Upstream {
  /**
   * Sends a form, once, to a path of our choosing, with headers of our making: nothing of the client's
   * request but its fields, its address and its id goes through.
   * @throws {AppError} unavailable when the service is down, late or talks nonsense.
   */
  postForm(path: string, form: Record<string, string>, request: FastifyRequest): Promise<Answer>;
  /** Rejects when the service does not answer. */
  check(): Promise<unknown>;
  close(): Promise<void>;
}

export function createUpstream(origin: string): Upstream {
  const pool = new Pool(new URL(origin).origin, {
    connections: 64,
    connectTimeout: 5_000,
    headersTimeout: TIMEOUT,
    bodyTimeout: TIMEOUT,
    maxResponseSize: MAX_ANSWER,
  });
  return {
    async postForm(path, form, request) {
      try {
        const { statusCode, headers, body } = await pool.request({
          method: 'POST',
          path,
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'x-request-id': request.id,
            'x-forwarded-for': request.ip,
            'x-forwarded-proto': request.protocol,
          },
          body: new URLSearchParams(form).toString(),
          signal: AbortSignal.timeout(TIMEOUT),
        });
        const text = await body.text();
        if (!STATUSES.has(statusCode)) throw new Error(`status ${statusCode}`);
        if (!String(headers['content-type']).startsWith('application/json')) throw new Error('not JSON');
        JSON.parse(text);
        const passedOn = PASSED_ON.filter((name) => typeof headers[name] === 'string');
        return {
          status: statusCode,
          headers: Object.fromEntries(passedOn.map((name) => [name, String(headers[name])])),
          body: text,
        };
      } catch (error) {
        throw new AppError('unavailable', { cause: new Error(`${origin}${path} failed`, { cause: error }) });
      }
    },
    async check() {
      const { statusCode, body } = await pool.request({ method: 'GET', path: '/health/live' });
      await body.dump();
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
    },
    close: () => pool.close(),
  };
}

export const relay = (reply: FastifyReply, { status, headers, body }: Answer): FastifyReply =>
  reply.code(status).headers(headers).type('application/json; charset=utf-8').serializer(String).send(body);
