import {
  AppError,
  type Contract,
  contractOf,
  type ErrorName,
  failures,
  renderError,
} from '@gatehouse/shared/http/errors';
import { toAppError } from '@gatehouse/shared/http/to-app-error';
import Fastify from 'fastify';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import * as mongodb from 'mongodb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const NOW = Date.UTC(2026, 0, 15, 9, 30);
const ID = 'request-1';
const render = (error: AppError, contract: Contract) =>
  renderError(error, { contract, requestId: ID, now: NOW });

/** Name, status, text and code of every failure (CONTRACT.md §Errors). */
const TABLE: [ErrorName, number, string, string][] = [
  ['accountDoesNotExist', 404, 'User does not exist, please create a new account.', 'RESOURCE_NOT_FOUND'],
  ['invalidCredentials', 401, 'Invalid credentials', 'INVALID_CREDENTIALS'],
  ['accountNotVerified', 403, 'Account not verified', 'ACCOUNT_NOT_VERIFIED'],
  [
    'ssoRequired',
    403,
    'Your organization requires single sign-on. Please log in through your identity provider.',
    'SSO_REQUIRED',
  ],
  ['captchaFailed', 400, 'reCAPTCHA validation failed', 'CAPTCHA_REQUIRED'],
  ['emailRegistered', 400, 'Email already registered', 'DUPLICATE_RESOURCE'],
  ['userNotFound', 404, 'User not found', 'RESOURCE_NOT_FOUND'],
  ['otpExpired', 400, 'OTP expired', 'INVALID_FORMAT'],
  ['otpInvalid', 400, 'Invalid OTP', 'INVALID_FORMAT'],
  ['otpInvalidOrExpired', 400, 'Invalid or expired OTP', 'INVALID_FORMAT'],
  ['missingField', 400, 'A required field is missing', 'MISSING_FIELD'],
  ['invalidFormat', 400, 'The request is malformed', 'INVALID_FORMAT'],
  ['notFound', 404, 'Not found', 'RESOURCE_NOT_FOUND'],
  ['unavailable', 503, 'Service unavailable', 'SERVICE_UNAVAILABLE'],
  ['internal', 500, 'Internal server error', 'INTERNAL_ERROR'],
];

describe('renderError', () => {
  test.each(TABLE)('%s: status %i, `detail` and the envelope', (name, status, text, code) => {
    const error = new AppError(name, { cause: new Error('inner') });
    expect(error.status).toBe(status);
    expect(render(error, 'direct')).toStrictEqual({ detail: text });
    expect(render(error, 'catalogue')).toStrictEqual({
      error: {
        code,
        message: text,
        details: text,
        timestamp: '2026-01-15T09:30:00.000Z',
        request_id: ID,
      },
    });
  });

  test('a custom text becomes `detail` or `details` and leaves `message` unchanged', () => {
    const error = new AppError('missingField', { text: 'email is required' });
    expect(render(error, 'direct')).toStrictEqual({ detail: 'email is required' });
    expect(render(error, 'catalogue')).toStrictEqual({
      error: {
        code: 'MISSING_FIELD',
        message: 'A required field is missing',
        details: 'email is required',
        timestamp: '2026-01-15T09:30:00.000Z',
        request_id: ID,
      },
    });
  });

  test('429 has its own body in the catalogue', () => {
    const error = new AppError('rateLimited', { retryAfter: 90, limit: 60 });
    expect(error.status).toBe(429);
    expect(render(error, 'direct')).toStrictEqual({ detail: 'Too many requests' });
    expect(render(error, 'catalogue')).toStrictEqual({
      error: {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many requests',
        retry_after: 90,
        limit: 60,
        reset_at: '2026-01-15T09:31:30.000Z',
      },
    });
  });

  test('429 has defaults when the limit is unknown', () => {
    expect(render(new AppError('rateLimited'), 'catalogue')).toStrictEqual({
      error: {
        code: 'RATE_LIMIT_EXCEEDED',
        message: 'Too many requests',
        retry_after: 60,
        limit: 0,
        reset_at: '2026-01-15T09:31:00.000Z',
      },
    });
  });
});

describe('contractOf', () => {
  test.each<[string, Contract]>([
    ['/v2/login', 'direct'],
    ['/v2/login?x=/api/v1/', 'direct'],
    ['/v2/', 'direct'],
    ['/v2', 'direct'],
    ['/v2?a', 'direct'],
    ['/v2/nothing/here', 'direct'],
    ['/v2//login', 'direct'],
    // RFC 9112 §3.2.2: a server accepts the absolute form too.
    ['http://gatehouse.example/v2/login', 'direct'],
    ['HTTP://gatehouse.example:8000/v2?a', 'direct'],
    ['http://gatehouse.example/api/v1/v2/login', 'catalogue'],
    ['http://v2/login', 'catalogue'],
    ['/', 'catalogue'],
    ['', 'catalogue'],
    ['*', 'catalogue'],
    ['/v22/login', 'catalogue'],
    ['/v2login', 'catalogue'],
    ['/v2;a/login', 'catalogue'],
    ['/V2/login', 'catalogue'],
    ['//v2/login', 'catalogue'],
    ['/./v2/login', 'catalogue'],
    ['/api/v1/auth/login', 'catalogue'],
    ['/api/v2/users', 'catalogue'],
    ['/api/v1/../../v2/login', 'catalogue'],
    ['/health?next=/v2/login', 'catalogue'],
    ['v2/login', 'catalogue'],
  ])('%s is %s', (url, contract) => {
    expect(contractOf(url)).toBe(contract);
  });
});

/** The parts of a foreign error that the client sees. */
const seen = (error: unknown) => {
  const { reason, status, message } = toAppError(error);
  return { reason, status, message };
};
const INTERNAL = { reason: 'internal', status: 500, message: 'Internal server error' };
const UNAVAILABLE = { reason: 'unavailable', status: 503, message: 'Service unavailable' };
const MALFORMED = { reason: 'invalidFormat', status: 400, message: 'The request is malformed' };
const NOT_FOUND = { reason: 'notFound', status: 404, message: 'Not found' };

/** A write that some members of the replica set did not confirm. */
const unconfirmed = (code: number) =>
  new mongodb.MongoWriteConcernError({ ok: 1, writeConcernError: { code, errmsg: 'secret' } } as never);

describe('toAppError', () => {
  test('returns an AppError unchanged', () => {
    const error = new AppError('otpExpired');
    expect(toAppError(error)).toBe(error);
  });

  test.each<[string, unknown]>([
    ['an Error', new Error('secret at /srv/app.ts')],
    ['a TypeError', new TypeError('x is not a function')],
    ['a string', 'secret'],
    ['undefined', undefined],
    ['null', null],
    ['a number', 42],
    ['a status of 500', Object.assign(new Error('secret'), { statusCode: 500 })],
    ['a duplicate key', new mongodb.MongoServerError({ message: 'E11000 secret', code: 11000 })],
    ['a code of another protocol', Object.assign(new Error('secret'), { code: 50 })],
    ['no validation issues', Object.assign(new Error('secret'), { validation: [] })],
  ])('%s is internal and its text stays in `cause`', (_what, error) => {
    expect(seen(error)).toEqual(INTERNAL);
    expect(toAppError(error).cause).toBe(error);
    for (const contract of ['direct', 'catalogue'] as const) {
      expect(JSON.stringify(render(toAppError(error), contract))).not.toContain('secret');
    }
  });

  test.each<[number, object]>([
    [400, MALFORMED],
    [404, NOT_FOUND],
    [405, NOT_FOUND],
    [406, MALFORMED],
    [408, MALFORMED],
    [411, MALFORMED],
    [413, MALFORMED],
    [415, MALFORMED],
    [422, MALFORMED],
    [431, MALFORMED],
    [501, INTERNAL],
    // CONTRACT.md §Statuses: no other statuses are used.
    [502, UNAVAILABLE],
    [503, UNAVAILABLE],
    [504, UNAVAILABLE],
  ])('status %i of a library', (statusCode, expected) => {
    const error = Object.assign(new Error('secret'), { statusCode });
    expect(seen(error)).toEqual(expected);
    expect(toAppError(error).cause).toBe(error);
  });

  test.each<[string, Error]>([
    ['MongoServerSelectionError', new mongodb.MongoServerSelectionError('secret', {} as never)],
    ['MongoNetworkError', new mongodb.MongoNetworkError('secret')],
    ['MongoNetworkTimeoutError', new mongodb.MongoNetworkTimeoutError('secret')],
    ['MongoExpiredSessionError', new mongodb.MongoExpiredSessionError('secret')],
    ['MongoUnexpectedServerResponseError', new mongodb.MongoUnexpectedServerResponseError('secret')],
    ['MongoNotConnectedError', new mongodb.MongoNotConnectedError('secret')],
    ['MongoTopologyClosedError', new mongodb.MongoTopologyClosedError('secret')],
    ['MongoServerClosedError', new mongodb.MongoServerClosedError('secret')],
    ['MongoClientClosedError', new mongodb.MongoClientClosedError()],
    // Thrown by the connection pool and not exported by the driver.
    [
      'MongoWaitQueueTimeoutError',
      Object.assign(new Error('secret'), { name: 'MongoWaitQueueTimeoutError' }),
    ],
    ['MongoPoolClearedError', Object.assign(new Error('secret'), { name: 'MongoPoolClearedError' })],
    ['PoolClearedOnNetworkError', Object.assign(new Error('secret'), { name: 'PoolClearedOnNetworkError' })],
    ['MongoPoolClosedError', Object.assign(new Error('secret'), { name: 'MongoPoolClosedError' })],
    // The driver passes this on when the server has closed the connection before a command is written.
    ['EPIPE', Object.assign(new Error('secret'), { code: 'EPIPE' })],
    // A replica set answers this during an election, after the driver's own retry has failed.
    [
      'NotWritablePrimary',
      new mongodb.MongoServerError({
        message: 'secret',
        code: 10107,
        codeName: 'NotWritablePrimary',
        errorLabels: ['RetryableWriteError'],
      }),
    ],
    ['a write that no majority confirmed', unconfirmed(64)],
    [
      'a write of many documents that no majority confirmed',
      new mongodb.MongoBulkWriteError({ message: 'waiting timed out', code: 64 }, {} as never),
    ],
    ...[50, 91, 189, 10107, 11600, 11602, 13435, 13436].flatMap((code): [string, Error][] => {
      const failed = new mongodb.MongoServerError({ message: 'secret', code });
      const writeErrors = [{ code: 11000 }, { code }] as never;
      return [
        [`code ${code} without a label`, failed],
        [`code ${code} as a write concern error`, unconfirmed(code)],
        [`code ${code} of a bulk write`, new mongodb.MongoBulkWriteError(failed, {} as never)],
        [
          `code ${code} of one document of a bulk write`,
          new mongodb.MongoBulkWriteError({ message: 'secret', code: 11000, writeErrors }, {} as never),
        ],
        [
          `code ${code} as the write concern error of a bulk write with duplicates`,
          new mongodb.MongoBulkWriteError({ message: 'secret', code: 11000 }, {
            getWriteConcernError: () => ({ code }),
          } as never),
        ],
      ];
    }),
    [
      'a bulk write that timed out',
      new mongodb.MongoBulkWriteError(new mongodb.MongoNetworkTimeoutError('secret'), {} as never),
    ],
    [
      'overloaded',
      new mongodb.MongoServerError({
        message: 'secret',
        errorLabels: ['SystemOverloadedError', 'RetryableError'],
      }),
    ],
  ])('%s: the database is unavailable', (_name, error) => {
    expect(seen(error)).toEqual(UNAVAILABLE);
    expect(toAppError(error).cause).toBe(error);
  });
});

describe('errors of Fastify and zod', () => {
  const required = z.string({ error: 'is required' }).min(1, { error: 'is required' });
  const app = Fastify().withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler((error, _request, reply) => {
    const failure = toAppError(error);
    return reply.code(failure.status).send(render(failure, 'direct'));
  });
  const body = z.object({
    email: required,
    name: required,
    tags: z
      .array(z.object({ id: required.max(3, { error: 'must not be longer than 3 characters' }) }))
      .optional(),
  });
  app.post('/json', { schema: { body } }, async () => ({}));
  app.get('/answer', { schema: { response: { 200: z.object({ a: z.literal('b') }) } } }, async () => ({
    a: 'secret' as 'b',
  }));

  test.each<[string, unknown, string]>([
    ['a field is missing', { email: 'a' }, 'name is required'],
    ['the first of two missing fields is named', {}, 'email is required'],
    ['a field is empty', { email: 'a', name: '' }, 'name is required'],
    ['a field is not a string', { email: 'a', name: 1 }, 'name is required'],
    [
      'a nested field',
      { email: 'a', name: 'b', tags: [{ id: 'a' }, { id: 'long' }] },
      'tags.1.id must not be longer than 3 characters',
    ],
    ['a nested field is missing', { email: 'a', name: 'b', tags: [{}] }, 'tags.0.id is required'],
  ])('%s', async (_what, payload, detail) => {
    const answer = await app.inject({ method: 'POST', url: '/json', payload: payload as object });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({ status: 400, body: { detail } });
  });

  test('distinguishes a missing field from a malformed one', () => {
    const issue = (message: string) => ({ validation: [{ instancePath: '/email', message }] });
    expect(seen(issue('is required'))).toEqual({
      reason: 'missingField',
      status: 400,
      message: 'email is required',
    });
    expect(seen(issue('must be a plain e-mail address'))).toEqual({
      reason: 'invalidFormat',
      status: 400,
      message: 'email must be a plain e-mail address',
    });
  });

  test('names the body when it is not an object', async () => {
    const answer = await app.inject({ method: 'POST', url: '/json', payload: [] });
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ detail: expect.stringMatching(/^body /) });
  });

  test.each<[string, Record<string, string>, string]>([
    ['broken JSON', { 'content-type': 'application/json' }, '{"email":'],
    ['empty JSON', { 'content-type': 'application/json' }, ''],
    ['JSON that would set a prototype', { 'content-type': 'application/json' }, '{"__proto__":{"a":1}}'],
    ['another content type', { 'content-type': 'application/xml' }, '<email/>'],
    ['too large', { 'content-type': 'application/json' }, JSON.stringify({ email: 'x'.repeat(1024 * 1024) })],
  ])('%s', async (_what, headers, payload) => {
    const answer = await app.inject({ method: 'POST', url: '/json', headers, payload });
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({
      status: 400,
      body: { detail: 'The request is malformed' },
    });
  });

  test('a response that violates its schema is internal and reveals nothing', async () => {
    const answer = await app.inject('/answer');
    expect({ status: answer.statusCode, body: answer.json() }).toEqual({
      status: 500,
      body: { detail: 'Internal server error' },
    });
  });
});

describe('failures', () => {
  test('has one entry per status with each text once and rendered examples', () => {
    const documented = failures(
      'direct',
      'missingField',
      'userNotFound',
      'otpExpired',
      'otpInvalid',
      'notFound',
    );
    expect(Object.keys(documented)).toEqual(['400', '404']);
    expect(documented[400]?.meta()).toEqual({
      description: 'A required field is missing · OTP expired · Invalid OTP',
      examples: [
        { detail: 'A required field is missing' },
        { detail: 'OTP expired' },
        { detail: 'Invalid OTP' },
      ],
    });
    expect(documented[404]?.meta()).toEqual({
      description: 'User not found · Not found',
      examples: [{ detail: 'User not found' }, { detail: 'Not found' }],
    });
  });

  test('documents the envelope and the 429 body of the catalogue', () => {
    const documented = failures('catalogue', 'unavailable', 'rateLimited');
    expect(Object.keys(documented)).toEqual(['429', '503']);
    expect(documented[429]?.meta()).toEqual({
      description: 'Too many requests',
      examples: [
        {
          error: {
            code: 'RATE_LIMIT_EXCEEDED',
            message: 'Too many requests',
            retry_after: 60,
            limit: 0,
            reset_at: '2026-01-15T09:31:00.000Z',
          },
        },
      ],
    });
    expect(documented[503]?.meta()).toEqual({
      description: 'Service unavailable',
      examples: [
        {
          error: {
            code: 'SERVICE_UNAVAILABLE',
            message: 'Service unavailable',
            details: 'Service unavailable',
            timestamp: '2026-01-15T09:30:00.000Z',
            request_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
          },
        },
      ],
    });
  });

  const everyName = [...TABLE.map(([name]) => name), 'rateLimited' as const];
  test.each(
    (['direct', 'catalogue'] as const).flatMap((contract) =>
      everyName.map((name) => [contract, name] as const),
    ),
  )('%s: the documented schema of %s matches the rendered body', (contract, name) => {
    const error = new AppError(name);
    const body = render(error, contract);
    expect(failures(contract, name)[error.status]?.parse(body)).toStrictEqual(body);
  });
});
