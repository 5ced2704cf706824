import { Readable } from 'node:stream';
import { loadConfig } from '@gatehouse/shared/config';
import { AppError } from '@gatehouse/shared/http/errors';
import { createServer } from '@gatehouse/shared/http/server';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorEnvelope } from '../../fixtures/envelope.ts';

const fail = () => {
  throw new Error('secret of the part');
};
const failAsync = async () => fail();
/** A stream that fails before its first byte. */
const broken = () =>
  new Readable({
    read() {
      this.destroy(new Error('secret of the stream'));
    },
  });

type Path = `/${string}`;
const PARTS: Record<string, (app: FastifyInstance, url: Path) => unknown> = {
  'an onRequest hook': (app, url) => app.addHook('onRequest', failAsync).get(url, async () => ({})),
  'a preParsing hook': (app, url) => app.addHook('preParsing', failAsync).get(url, async () => ({})),
  'a preValidation hook': (app, url) => app.addHook('preValidation', failAsync).get(url, async () => ({})),
  'a preHandler hook': (app, url) => app.addHook('preHandler', failAsync).get(url, async () => ({})),
  'a preSerialization hook': (app, url) =>
    app.addHook('preSerialization', failAsync).get(url, async () => ({ a: 'b' })),
  'an onSend hook': (app, url) => app.addHook('onSend', failAsync).get(url, async () => ({ a: 'b' })),
  'an onSend hook that throws at once': (app, url) =>
    app.addHook('onSend', fail as () => Promise<never>).get(url, async () => ({ a: 'b' })),
  'an onSend hook, after a failure of the handler': (app, url) =>
    app.addHook('onSend', failAsync).get(url, async () => {
      throw new AppError('forbidden');
    }),
  'an onError hook, after a failure of the handler': (app, url) =>
    app.addHook('onError', failAsync).get(url, failAsync),
  'every hook that runs after the handler': (app, url) =>
    app
      .addHook('preSerialization', failAsync)
      .addHook('onSend', failAsync)
      .addHook('onError', failAsync)
      .get(url, async () => ({ a: 'b' })),
  'a handler': (app, url) => app.get(url, failAsync),
  'a handler that throws at once': (app, url) => app.get(url, fail),
  'a handler that sends an error with a status of success': (app, url) =>
    app.get(
      url,
      (_request, reply) => void reply.send(Object.assign(new Error('secret'), { statusCode: 299 })),
    ),
  'a validator': (app, url) =>
    app.get(url, { schema: { querystring: z.object({}) }, validatorCompiler: () => fail }, async () => ({})),
  'the schema of a response': (app, url) =>
    app.get(url, { schema: { response: { 200: z.object({ a: z.literal('b') }) } } }, async () => ({
      a: 'secret',
    })),
  'the schema of an error': (app, url) =>
    app.get(url, { schema: { response: { 500: z.object({ a: z.literal('b') }) } } }, failAsync),
  'the serializer of a route': (app, url) =>
    app.get(
      url,
      { serializerCompiler: () => fail, schema: { response: { 200: z.object({}) } } },
      async () => ({
        a: 'b',
      }),
    ),
  'the serializer of a reply': (app, url) =>
    app.get(url, (_request, reply) => reply.serializer(fail).send({ a: 'b' })),
  'a handler, after it has set a serializer for its own payload': (app, url) =>
    app.get(url, async (_request, reply) => {
      reply.serializer((text: string) => text);
      return fail();
    }),
  'a payload that cannot be sent': (app, url) =>
    app.get(url, (_request, reply) => reply.type('text/html').send({ a: 'b' })),
  'a header that cannot be sent': (app, url) =>
    app.get(url, (_request, reply) => reply.header('x-broken', 'a\nb').send({ a: 'b' })),
  'a stream': (app, url) => app.get(url, (_request, reply) => relayed(reply).send(broken())),
  'a web stream': (app, url) =>
    app.get(url, (_request, reply) => relayed(reply).send(Readable.toWeb(broken()))),
};

/** Sets headers that describe the payload of the response that is about to fail. */
const relayed = (reply: FastifyReply) =>
  reply
    .serializer((text: string) => text)
    .headers({
      'content-type': 'application/pdf',
      'content-length': '7',
      'content-encoding': 'br',
      'cache-control': 'max-age=60',
      etag: '"7"',
      'set-cookie': 'a=b',
    });

let app: FastifyInstance;
afterEach(() => app.close());

describe.each([
  ['/v2/part', { detail: 'Internal server error' }],
  ['/part', errorEnvelope('INTERNAL_ERROR', 'Internal server error')],
] as const)('%s answers 500 in the shape of its contract when this fails:', (url, body) => {
  test.each(Object.entries(PARTS))('%s', async (_name, register) => {
    const { config } = loadConfig('login', { JWT_SECRET: 'x', LOG_LEVEL: 'silent' });
    app = await createServer({ name: 'login', description: 'A test.', config, checks: {} });
    await app.register(async (scope) => void register(scope, url));
    const response = await app.inject({ url, headers: { origin: 'https://app.example' } });
    expect({ status: response.statusCode, body: response.json() }).toEqual({ status: 500, body });
    expect(response.headers).toEqual({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(response.rawPayload.length),
      'x-content-type-options': 'nosniff',
      'x-request-id': expect.any(String),
      'access-control-allow-origin': 'https://app.example',
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': expect.any(String),
      vary: 'Origin',
      connection: expect.any(String),
      date: expect.any(String),
      ...(url === '/v2/part' && { 'cache-control': 'no-store' }),
    });
  });
});
