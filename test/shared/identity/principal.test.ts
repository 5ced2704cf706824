import { createHmac } from 'node:crypto';
import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { machineKeyCollections } from '@gatehouse/shared/identity/machine-keys/records';
import { operatorCollections } from '@gatehouse/shared/identity/operators';
import {
  callerId,
  createAuthenticate,
  isPublic,
  principalOf,
  requirePrincipal,
} from '@gatehouse/shared/identity/principal';
import { ssoDomainCollections } from '@gatehouse/shared/identity/sso';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import { userCollections } from '@gatehouse/shared/identity/users';
import { contract } from '@gatehouse/shared/operation/operation';
import Fastify, { type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { freshDatabase, freshMongodbUri, watchedDatabase } from '../../fixtures/database.ts';
import { startHoldingProxy } from '../../fixtures/holding-proxy.ts';
import { newMember } from '../../fixtures/members.ts';

const COLLECTIONS = {
  ...userCollections,
  ...operatorCollections,
  ...machineKeyCollections,
  ...ssoDomainCollections,
};

const SECRET = 'a secret that only this file knows, 32 bytes and more';
const NOW = Date.UTC(2026, 0, 15, 9, 30);
const SECONDS = NOW / 1000;
const tokens = createTokens({ JWT_SECRET: SECRET });

let db: DatabaseConnection<typeof COLLECTIONS>;
let drop: () => Promise<void>;
/** The commands sent by the driver. */
let commands: string[];
let authenticate: ReturnType<typeof createAuthenticate>;
beforeAll(async () => {
  ({ db, drop, commands } = await watchedDatabase(COLLECTIONS));
  authenticate = createAuthenticate(db, tokens);
});
afterAll(() => drop());

/** Has a unique `user_id` by default; `null` means none. */
const newUser = ({ user_id, ...fields }: Record<string, unknown> = {}) =>
  newMember(db, { ...fields, ...(user_id !== undefined && { user_id: user_id ?? undefined }) });

const check = (authorization: string | undefined, now = NOW) => authenticate(authorization, now);
const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error) => (error instanceof AppError ? error.reason : error),
  );
const bearer = ({ email, user_id = null }: { email: string; user_id?: unknown }, now = NOW, sid?: string) =>
  `Bearer ${tokens.session({ email, user_id: user_id as string }, now, { lifetime: 3600, ...(sid && { sid }) })}`;
const signed = (claims: object, header: object = {}) => {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${part(claims)}`;
  return `Bearer ${text}.${createHmac('sha256', SECRET).update(text).digest('base64url')}`;
};

describe('authenticate', () => {
  test('ends as unavailable when the database never answers', async () => {
    const proxy = await startHoldingProxy(await freshMongodbUri());
    const { db, drop } = await freshDatabase(COLLECTIONS, proxy.uri);
    onTestFinished(async () => {
      vi.useRealTimers();
      proxy.pass();
      await drop();
      await proxy.stop();
    });
    const held = proxy.hold('users', 'find');
    // Only the limit of the check passes: sockets keep real time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const checked = reasonOf(
      createAuthenticate(db, tokens)(bearer({ email: 'ada@example.com', user_id: 'ada' }), NOW),
    );
    await held;
    vi.advanceTimersByTime(20_000);
    expect(await checked).toBe('unavailable');
  });

  test('returns the record, the session and the expiry with one command', async () => {
    const user = await newUser();
    const sid = newSessionId(NOW - 5_000);
    commands.length = 0;
    expect(await check(bearer(user, NOW, sid))).toEqual({
      user,
      session: { id: sid, hasId: true, beganAt: NOW - 5_000 },
      checkedAt: NOW,
      confirmedAt: NOW - 5_000,
      expiresAt: NOW + 3_600_000,
    });
    expect(commands).toEqual(['find']);
  });

  test('finds the user of a token without a user_id by e-mail, with one command', async () => {
    const user = await newUser({ user_id: null });
    commands.length = 0;
    const principal = await check(bearer({ email: user.email.toUpperCase() }));
    expect(principal.user).toEqual(user);
    expect(commands).toEqual(['find']);
  });

  test("refuses a deleted account's token when another account has its user_id", async () => {
    const user = await newUser();
    await db.users.deleteOne({ _id: user._id });
    const successor = await newUser({ user_id: user.user_id });
    expect(await reasonOf(check(bearer(user)))).toBe('invalidToken');
    const uppercased = bearer({ ...successor, email: successor.email.toUpperCase() });
    expect(await reasonOf(check(uppercased))).toBe('accepted');
  });

  test('an invalid token needs no command', async () => {
    const user = await newUser();
    commands.length = 0;
    const attempts = [
      undefined,
      '',
      'Bearer',
      'Bearer x',
      `${bearer(user)}x`,
      bearer({ ...user, user_id: '' }),
      bearer(user, NOW - 3_600_000),
    ];
    expect(await Promise.all(attempts.map((authorization) => reasonOf(check(authorization))))).toEqual([
      'noAuthorizationHeader',
      'noAuthorizationHeader',
      'invalidToken',
      'invalidToken',
      'invalidToken',
      'invalidToken',
      'tokenExpired',
    ]);
    expect(commands).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['verified and active', {}, 'accepted'],
    ['verified by another truthy value', { verified: 'yes' }, 'accepted'],
    ['without a status, as in older records', { account_status: undefined }, 'accepted'],
    ['not verified', { verified: false }, 'invalidToken'],
    ['without the field verified', { verified: undefined }, 'invalidToken'],
    ['paused', { account_status: 'paused' }, 'invalidToken'],
    ['disabled', { account_status: 'disabled' }, 'invalidToken'],
    ['whose sessions ended just before', { sessions_valid_from: new Date(NOW - 1) }, 'accepted'],
    ['whose sessions ended at that moment', { sessions_valid_from: new Date(NOW) }, 'invalidToken'],
    ['whose sessions ended later', { sessions_valid_from: new Date(NOW + 1) }, 'invalidToken'],
  ])('a user %s', async (_, fields, outcome) => {
    for (const user_id of [undefined, null]) {
      expect(await reasonOf(check(bearer(await newUser({ ...fields, user_id }))))).toBe(outcome);
    }
  });

  test('an account that was disabled as OPERATIONS.md says has no session once it is enabled', async () => {
    const user = await newUser();
    const before = bearer(user);
    const set = (fields: Partial<User>) => db.users.updateOne({ _id: user._id }, { $set: fields });
    await set({ account_status: 'disabled', sessions_valid_from: new Date(NOW) });
    await set({ account_status: 'active' });
    expect(await reasonOf(check(before))).toBe('invalidToken');
    expect(await reasonOf(check(bearer(user, NOW + 1)))).toBe('accepted');
  });

  test('a deleted user is an invalid token', async () => {
    expect(await reasonOf(check(bearer({ email: 'nobody@example.com' })))).toBe('invalidToken');
    expect(await reasonOf(check(bearer({ email: 'nobody@example.com', user_id: 'User-999999' })))).toBe(
      'invalidToken',
    );
    expect(await reasonOf(check(bearer({ email: 'nobody@example.com', user_id: '' })))).toBe('invalidToken');
  });

  test('an e-mail with look-alike letters does not match', async () => {
    await newUser({ email: 'kelvin@example.com', user_id: null });
    expect(await reasonOf(check(bearer({ email: '\u212Aelvin@example.com' })))).toBe('invalidToken');
  });

  test('a token without sid counts as issued an hour before it expires', async () => {
    const user = await newUser();
    const token = signed({ email: user.email, user_id: user.user_id, exp: SECONDS + 1800 });
    expect((await check(token)).session).toMatchObject({ hasId: false, beganAt: NOW - 1_800_000 });
    const issuedAt = (at: number) =>
      db.users.updateOne({ email: user.email }, { $set: { sessions_valid_from: new Date(at) } });
    await issuedAt(NOW - 1_800_001);
    expect(await reasonOf(check(token))).toBe('accepted');
    await issuedAt(NOW - 1_800_000);
    expect(await reasonOf(check(token))).toBe('invalidToken');
  });

  // The signature is valid, but without a start time nothing could ever end the session.
  test.each([
    'x',
    'user-1',
    '01936f2e-7d3c-4a44-8c1e-5b0f3f6a9d21',
    '01936F2E-7D3C-7A44-8C1E-5B0F3F6A9D21',
    '',
  ])('a sid that is not a UUIDv7 is an invalid token: %j', async (sid) => {
    const { email, user_id } = await newUser();
    expect(await reasonOf(check(signed({ email, user_id, exp: SECONDS + 1800 }, { sid })))).toBe(
      'invalidToken',
    );
  });

  test.each([1e300, 8.64e12 + 1, Number.MAX_SAFE_INTEGER])(
    'an exp beyond the range of Date is an invalid token: %d',
    async (exp) => {
      const { email, user_id } = await newUser();
      expect(await reasonOf(check(signed({ email, user_id, exp })))).toBe('invalidToken');
    },
  );

  test.each([
    ['Bearer ', (token: string) => token],
    ['bearer ', (token: string) => token.replace('Bearer', 'bearer')],
    ['nothing', (token: string) => token.replace('Bearer ', '')],
  ])('accepts the prefix %j', async (_, spelled) => {
    expect(await reasonOf(check(spelled(bearer(await newUser()))))).toBe('accepted');
  });

  test.each([
    ['Basic', (token: string) => token.replace('Bearer', 'Basic')],
    ['Bearer twice', (token: string) => `Bearer ${token}`],
    ['two spaces', (token: string) => token.replace(' ', '  ')],
    ['two tokens', (token: string) => `${token}, ${token}`],
  ])('refuses another prefix: %s', async (_, spelled) => {
    expect(await reasonOf(check(spelled(bearer(await newUser()))))).toBe('invalidToken');
  });
});

describe('requirePrincipal', () => {
  async function start() {
    const app = Fastify();
    app.setErrorHandler<AppError>((error, _, reply) => reply.code(error.status ?? 500).send(error.message));
    app.setNotFoundHandler((_, reply) => reply.code(404).send('Not found'));
    await app.register(requirePrincipal, { db, tokens, now: () => NOW });
    const config = {
      operation: contract('GET /mine', {
        needs: 'own',
        summary: 'Read',
        description: 'Reads.',
        returns: z.string(),
      }),
    };
    app.get('/mine', { config }, async (request) => principalOf(request).user.email);
    app.get('/id', { config }, async (request) => callerId(request));
    app.get('/open', { config: { public: true } }, async (request) => String(isPublic(request)));
    app.get('/open/mine', { config: { public: true } }, async (request) => principalOf(request).user.email);
    app.get('/v2/direct', { config: { public: true } }, async () => 'direct');
    return app;
  }

  test('lets a principal through and exposes it to the handler', async () => {
    const app = await start();
    const user = await newUser();
    const get = async (url: string, authorization?: string) => {
      const { statusCode, body } = await app.inject({ url, headers: authorization ? { authorization } : {} });
      return [statusCode, body];
    };
    expect(await get('/mine', bearer(user))).toEqual([200, user.email]);
    expect(await get('/id', bearer(user))).toEqual([200, user.user_id]);
    expect(await get('/mine')).toEqual([401, 'No authorization header']);
    expect(await get('/nothing')).toEqual([401, 'No authorization header']);
    expect(await get('/nothing', 'Bearer x')).toEqual([401, 'Invalid token']);
    expect(await get('/nothing', bearer(user))).toEqual([404, 'Not found']);
    expect(await get('/open')).toEqual([200, 'true']);
    expect(await get('/open', 'Bearer x')).toEqual([200, 'true']);
    expect(await get('/open/mine')).toEqual([401, 'No authorization header']);
    expect(await get('/v2/direct')).toEqual([200, 'direct']);
    expect(await get('/v2/nothing')).toEqual([404, 'Not found']);
    expect(await get('/v2x')).toEqual([401, 'No authorization header']);
    await app.close();
  });

  test.each([null, 483_920])(
    'an account with the user_id %j gets 403 where one is needed',
    async (user_id) => {
      const app = await start();
      const { email } = await newUser({ user_id });
      const { statusCode, body } = await app.inject({
        url: '/id',
        headers: { authorization: bearer({ email }) },
      });
      expect([statusCode, body]).toEqual([403, 'Forbidden']);
      await app.close();
    },
  );

  test.each(['GET', 'POST', 'PATCH', 'DELETE'])(
    'the server does not start with an undeclared %s route',
    async (method) => {
      const app = await start();
      app.register(
        async (scope) => void scope.route({ method, url: '/forgotten', handler: async () => 'open' }),
      );
      await expect(app.ready()).rejects.toThrow(`${method} /forgotten is neither an operation nor public`);
    },
  );

  test('principalOf throws for an unauthenticated request', () => {
    expect(() => principalOf({ principal: undefined } as FastifyRequest)).toThrow('No authorization header');
  });
});
