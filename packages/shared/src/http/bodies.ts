import { isUtf8 } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { networksOf } from './address.ts';
import { AppError } from './errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the body is streamed: it is not held in memory, and is limited by silence instead of by its duration. */
    streams?: boolean;
  }
}

/** Bytes that a chunk takes besides its content: a body may arrive in chunks of one byte. */
const CHUNK_OVERHEAD = 128;
/** Seconds: bodies are held for as long as their calls take. */
const RETRY_AFTER = 1;
/** The part of the memory for one network, and for the widest one that an address is counted by. */
const [SHARE, WIDEST_SHARE] = [1 / 8, 1 / 2];
/** Bytes that a network may have held in any case: the largest body fits. */
const LEAST_SHARE = 2 * 1024 * 1024;

interface Bound {
  key: string;
  max: number;
}

interface Options {
  /** Bytes. */
  max: number;
  /** Whether each network of clients has a share of them. One network cannot have all others refused. */
  perNetwork: boolean;
}

/**
 * Bounds the bytes of all bodies that are held in memory at the same time. Each call counts what has arrived of its
 * body until it is answered. What would exceed the bound is refused with `unavailable`.
 */
export const bodyMemory = fp(async (app: FastifyInstance, { max, perNetwork }: Options) => {
  const held = new Map<string, number>();
  const all: Bound = { key: 'all', max };

  const boundsOf = (ip: string): Bound[] => [
    all,
    ...networksOf(ip).map(({ key, share }) => ({
      key,
      max: Math.max(LEAST_SHARE, max * Math.min(share * SHARE, WIDEST_SHARE)),
    })),
  ];
  /** Returns whether a bound is exceeded. */
  const add = (bounds: readonly Bound[], bytes: number): boolean => {
    let exceeded = false;
    for (const bound of bounds) {
      const sum = (held.get(bound.key) ?? 0) + bytes;
      if (sum === 0) held.delete(bound.key);
      else held.set(bound.key, sum);
      exceeded ||= sum > bound.max;
    }
    return exceeded;
  };

  function hold({ raw: request, ip }: FastifyRequest, response: ServerResponse): void {
    if (request.socket.destroyed) return; // it has no address any more, and its body is not read
    const bounds = perNetwork ? boundsOf(ip) : [all];
    let size = 0;
    const count = (chunk: Buffer) => {
      if (response.headersSent) return; // Node.js discards the rest of a refused body
      const bytes = chunk.length + CHUNK_OVERHEAD;
      size += bytes;
      if (!add(bounds, bytes) || request.listenerCount('error') === 0) return;
      request.off('data', count);
      request.emit('error', new AppError('unavailable', { retryAfter: RETRY_AFTER }));
    };
    // Unlike `on`, this does not start the flow before the body is read.
    request.prependListener('data', count);
    response.once('close', () => {
      request.off('data', count);
      add(bounds, -size);
    });
  }

  app.addHook('onRoute', (route) => {
    const { streams, operation } = route.config ?? {};
    // A GET operation reads no body. Its HEAD route has the same operation.
    if (streams || operation?.method === 'GET') return;
    route.preParsing = [
      ...[route.preParsing ?? []].flat(),
      (request, reply, payload, done) => {
        hold(request, reply.raw);
        done(null, payload);
      },
    ];
  });
});

export const json = fp(async (app: FastifyInstance) => {
  app.removeContentTypeParser('application/json');
  parseJson(app, 'application/json');
});

/** Parses JSON bodies as UTF-8. An empty body is accepted: many clients send the content type without a body. */
export function parseJson(app: FastifyInstance, contentType: string): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser(contentType, { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0) return done(null, undefined);
    if (!isUtf8(body)) return done(new AppError('invalidFormat'));
    return parse(request, body.toString('utf8'), done);
  });
}
