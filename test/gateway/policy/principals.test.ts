import { request } from 'node:http';
import { AppError } from '@gatehouse/shared/http/errors';
import { keyText, newKeyId, newKeySecret, secretHash } from '@gatehouse/shared/identity/machine-keys/format';
import type { MachineKey } from '@gatehouse/shared/identity/machine-keys/records';
import { createTokens, newSessionId } from '@gatehouse/shared/identity/tokens';
import type { User } from '@gatehouse/shared/identity/user-record';
import type { UpdateFilter, WithId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildGateway } from '../../../services/gateway/app.ts';
import { COLLECTIONS, type Database } from '../../../services/gateway/database.ts';
import { createPrincipals, type Principals } from '../../../services/gateway/policy/principals.ts';
import { type Clock, testClock } from '../../fixtures/clock.ts';
import { watchedDatabase } from '../../fixtures/database.ts';
import { startHttp, startUpstream } from '../../fixtures/gateway.ts';
import { send } from '../../fixtures/http.ts';
import { bearerOf, newMember } from '../../fixtures/members.ts';
import { JWT_SECRET, listen, testConfig } from '../../fixtures/services.ts';

const tokens = createTokens({ JWT_SECRET });
let db: Database;
let drop: () => Promise<void>;
/** The commands that the driver sent. */
let commands: string[];
beforeAll(async () => {
  ({ db, drop, commands } = await watchedDatabase(COLLECTIONS));
});
afterAll(() => drop());

let clock: Clock;
let principals: Principals;
const create = (PRINCIPAL_CACHE_MS = 1_000) =>
  createPrincipals({ PRINCIPAL_CACHE_MS }, { db, tokens, now: clock.now });
beforeEach(() => {
  clock = testClock();
  principals = create();
});

async function newUser(fields?: object): Promise<WithId<User>> {
  const user = await newMember(db, fields);
  commands.length = 0;
  return user;
}
const bearer = (user: User, options?: { sid?: string; lifetime?: number }) =>
  bearerOf(user, clock.now(), options);
const reasonOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'accepted',
    (error) => (error instanceof AppError ? error.reason : error),
  );
const disable = ({ email }: User) =>
  db.users.updateOne({ email }, { $set: { account_status: 'disabled' } }).then(() => {
    commands.length = 0;
  });

describe('a principal', () => {
  test('is read from the database once in PRINCIPAL_CACHE_MS', async () => {
    const user = await newUser();
    const authorization = bearer(user);
    const first = await principals.of(authorization);
    expect(first.user.email).toBe(user.email);
    clock.advance(0.999);
    expect(await principals.of(authorization)).toBe(first);
    expect(commands).toEqual(['find']);
    clock.advance(0.001);
    await principals.of(authorization);
    expect(commands).toEqual(['find', 'find']);
    clock.advance(0.999);
    await principals.of(authorization);
    expect(commands).toEqual(['find', 'find']);
  });

  test('is read once for concurrent calls', async () => {
    const authorization = bearer(await newUser());
    await Promise.all(Array.from({ length: 100 }, () => principals.of(authorization)));
    expect(commands).toEqual(['find']);
  });

  test('is cached for at most one second, however busy the client', async () => {
    const user = await newUser();
    const authorization = bearer(user);
    await principals.of(authorization);
    await disable(user);
    for (let call = 0; call < 9; call += 1) {
      clock.advance(0.111);
      expect(await reasonOf(principals.of(authorization))).toBe('accepted');
    }
    clock.advance(0.001);
    expect(await reasonOf(principals.of(authorization))).toBe('invalidToken');
  });

  test('is not cached beyond the expiry of its token', async () => {
    const authorization = bearer(await newUser(), { lifetime: 10 });
    clock.advance(9.5);
    await principals.of(authorization);
    clock.advance(0.499);
    expect(await reasonOf(principals.of(authorization))).toBe('accepted');
    clock.advance(0.001);
    expect(await reasonOf(principals.of(authorization))).toBe('tokenExpired');
  });

  test('is read for every call when PRINCIPAL_CACHE_MS is 0', async () => {
    principals = create(0);
    const user = await newUser();
    const authorization = bearer(user);
    await principals.of(authorization);
    await disable(user);
    expect(await reasonOf(principals.of(authorization))).toBe('invalidToken');
    expect(commands).toEqual(['find']);
  });

  test('belongs to one bearer', async () => {
    const [ada, grace] = [await newUser(), await newUser()];
    const [one, other] = [bearer(ada), bearer(grace)];
    expect((await principals.of(one)).user.email).toBe(ada.email);
    expect((await principals.of(other)).user.email).toBe(grace.email);
    expect((await principals.of(one)).user.email).toBe(ada.email);
  });
});

describe('a principal of a machine key', () => {
  async function newKey() {
    const owner = await newUser();
    const [id, secret] = [newKeyId(), newKeySecret()];
    const key: MachineKey = {
      _id: id,
      owner: owner._id,
      slot: 0,
      name: 'Robot',
      hash: secretHash(secret),
      permissions: ['view profile', 'view audit'],
      networks: [],
      expires_at: null,
      created_at: new Date(clock.now()),
      created_by: String(owner.user_id),
    };
    await db.machineKeys.insertOne(key);
    return { owner, id, authorization: `Bearer ${keyText(id, secret)}` };
  }
  const known = (authorization: string) =>
    principals.of(authorization).then(
      ({ key }) => [...(key?.permissions ?? []), ...(key?.networks ?? [])].join(),
      (error) => (error instanceof AppError ? error.reason : error),
    );
  type Made = Awaited<ReturnType<typeof newKey>>;
  const changeKey = (update: UpdateFilter<MachineKey>) => (made: Made) =>
    db.machineKeys.updateOne({ _id: made.id }, update);
  const changeOwner = (update: UpdateFilter<User>) => (made: Made) =>
    db.users.updateOne({ _id: made.owner._id }, update);

  test.each<[string, (made: Made) => Promise<unknown>, string]>([
    ['the key is deleted', ({ id }) => db.machineKeys.deleteOne({ _id: id }), 'invalidToken'],
    ['the key is rotated', changeKey({ $set: { hash: secretHash('another') } }), 'invalidToken'],
    ['the key is made to expire', changeKey({ $set: { expires_at: new Date(0) } }), 'tokenExpired'],
    ['the key loses a permission', changeKey({ $set: { permissions: ['view audit'] } }), 'view audit'],
    [
      'the key is bound to a network',
      changeKey({ $set: { networks: ['192.0.2.0/24'] } }),
      'view profile,view audit,192.0.2.0/24',
    ],
    ['its owner is disabled', changeOwner({ $set: { account_status: 'disabled' } }), 'invalidToken'],
    ['its owner is paused', changeOwner({ $set: { account_status: 'paused' } }), 'invalidToken'],
    [
      'its owner is about to be deleted',
      changeOwner({ $set: { deletion: { requested_at: new Date(), due_at: new Date(), next: new Date() } } }),
      'invalidToken',
    ],
    ['all keys of its owner end', changeOwner({ $set: { keys_valid_from: new Date(9e12) } }), 'invalidToken'],
    ['its owner is gone', ({ owner }) => db.users.deleteOne({ _id: owner._id }), 'invalidToken'],
  ])('is out of date for at most a second once %s', async (_, change, expected) => {
    const made = await newKey();
    const { authorization } = made;
    const before = 'view profile,view audit';
    expect(await known(authorization)).toBe(before);
    await change(made);
    // However busy the machine is.
    for (let call = 0; call < 9; call += 1) {
      clock.advance(0.111);
      expect(await known(authorization)).toBe(before);
    }
    clock.advance(0.001);
    expect(await known(authorization)).toBe(expected);
  });

  test('ends at the second at which the key or its former secret expires', async () => {
    const { id, authorization } = await newKey();
    const until = new Date(clock.now() + 500);
    const [{ hash }] = (await db.machineKeys.find({ _id: id }).toArray()) as [MachineKey];
    await changeKey({ $set: { hash: secretHash('another'), previous: { hash, until } } })({ id } as Made);
    expect(await known(authorization)).toBe('view profile,view audit');
    clock.advance(0.5);
    expect(await known(authorization)).toBe('tokenExpired');
  });
});

describe('a refusal', () => {
  test('is not cached', async () => {
    const user = await newUser({ account_status: 'paused' });
    const authorization = bearer(user);
    expect(await reasonOf(principals.of(authorization))).toBe('invalidToken');
    await db.users.updateOne({ email: user.email }, { $set: { account_status: 'active' } });
    expect(await reasonOf(principals.of(authorization))).toBe('accepted');
  });

  test('without a token, or with an invalid one, does not query the database', async () => {
    const authorization = bearer(await newUser());
    const reasons = [undefined, '', 'Bearer x', `${authorization}x`].map((each) =>
      reasonOf(principals.of(each)),
    );
    expect(await Promise.all(reasons)).toEqual([
      'noAuthorizationHeader',
      'noAuthorizationHeader',
      'invalidToken',
      'invalidToken',
    ]);
    expect(commands).toEqual([]);
  });
});

describe('forget', () => {
  test('drops every bearer of the session, in every spelling, and no other', async () => {
    const user = await newUser();
    const sid = newSessionId(clock.now());
    const [one, two, other] = [bearer(user, { sid }), bearer(user, { sid, lifetime: 60 }), bearer(user)];
    const all = [one, two, one.replace('Bearer', 'bearer'), two.replace('Bearer ', ''), other];
    for (const authorization of all) await principals.of(authorization);
    await disable(user);
    principals.forget(one);
    const reasons = await Promise.all(all.map((authorization) => reasonOf(principals.of(authorization))));
    expect(reasons).toEqual([...Array(4).fill('invalidToken'), 'accepted']);
  });

  test('drops bearers whose lookup is still pending', async () => {
    const user = await newUser();
    const sid = newSessionId(clock.now());
    const [one, two] = [bearer(user, { sid }), bearer(user, { sid, lifetime: 60 })];
    const pending = principals.of(two); // started before the session ended
    principals.forget(one);
    await pending;
    await disable(user);
    expect(await reasonOf(principals.of(two))).toBe('invalidToken');
  });

  test('drops nothing for a missing or invalid bearer', async () => {
    const user = await newUser();
    const authorization = bearer(user);
    await principals.of(authorization);
    for (const none of [undefined, '', 'Bearer x', `${authorization}x`]) principals.forget(none);
    await principals.of(authorization);
    expect(commands).toEqual(['find']);
  });

  test('forgetUser drops all sessions of the user, whatever the case of the email, and no other user’s', async () => {
    const [ada, grace] = [await newUser(), await newUser()];
    const bearers = [bearer(ada), bearer(ada), bearer(ada)];
    for (const authorization of [...bearers, bearer(grace)]) await principals.of(authorization);
    const unread = bearer(ada);
    const pending = principals.of(unread);
    principals.forgetUser(ada.email.toUpperCase());
    await pending;
    await disable(ada);
    for (const authorization of [...bearers, unread]) {
      expect(await reasonOf(principals.of(authorization))).toBe('invalidToken');
    }
  });

  test('forgetUser does not match look-alike letters', async () => {
    const user = await newUser({ email: 'kelvin@example.com' });
    const authorization = bearer(user);
    await principals.of(authorization);
    principals.forgetUser(user.email.replace('k', '\u212A'));
    await principals.of(authorization);
    expect(commands).toEqual(['find']);
  });
});

test('a full cache drops the least recently used bearer', async () => {
  const dependencies = { db, tokens, now: clock.now };
  principals = createPrincipals({ PRINCIPAL_CACHE_MS: 1_000 }, dependencies, 2);
  const user = await newUser();
  const [one, two, three] = [bearer(user), bearer(user), bearer(user)];
  for (const authorization of [one, two, one, three]) await principals.of(authorization);
  commands.length = 0;
  for (const authorization of [one, three]) await principals.of(authorization);
  expect(commands).toEqual([]);
  await principals.of(two);
  expect(commands).toEqual(['find']);
});

describe('the database queries of calls at the gateway', () => {
  let platform: Awaited<ReturnType<typeof startUpstream>>;
  let gateway: Awaited<ReturnType<typeof buildGateway>>;
  let url: string;
  beforeEach(async () => {
    platform = await startUpstream();
    const config = testConfig('gateway', {
      CAPTCHA_PROVIDER: 'none',
      LOGIN_SERVICE_URL: platform.url,
      USER_SERVICE_URL: platform.url,
      UPSTREAM_PAYMENT: platform.url,
    });
    gateway = await buildGateway({ config, db, now: clock.now });
    url = await listen(gateway);
    return async () => {
      await gateway.close();
      await platform.stop();
    };
  });

  test('one per second for each bearer, on every kind of path', async () => {
    const user = await newUser({ subscription_plan: 'Enterprise' });
    const headers = { authorization: bearer(user) };
    const paths = [
      '/api/v1/payment/invoices',
      '/api/v1/users/me',
      '/api/v1/chatbots',
      '/api/v1/selection/x',
      '/api/v1/nothing',
      '/v2/nothing',
    ];
    await send(`${url}${paths[0]}`, { headers });
    expect(commands).toEqual(['find']);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(paths.map((path) => send(url + path, { headers })));
    }
    expect(commands).toEqual(['find']);
    for (let second = 0; second < 3; second += 1) {
      clock.advance(1);
      await Promise.all(Array.from({ length: 20 }, () => send(`${url}${paths[0]}`, { headers })));
    }
    expect(commands).toEqual(Array(4).fill('find'));
  });

  test('one after a call that ends sessions, even if its client does not wait for it', async () => {
    const user = await newUser();
    const headers = { authorization: bearer(user) };
    const [arrived, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const service = await startHttp(async (incoming, response) => {
      if (incoming.method === 'DELETE') {
        arrived.resolve();
        await gone.promise;
        const sessions_valid_from = new Date(clock.now() + 1_000);
        await db.users.updateOne({ email: user.email }, { $set: { sessions_valid_from } });
      }
      response.end('{}');
    });
    const config = testConfig('gateway', {
      CAPTCHA_PROVIDER: 'none',
      USER_SERVICE_URL: service.url,
      UPSTREAM_PAYMENT: service.url,
    });
    const front = await buildGateway({ config, db, now: clock.now });
    const origin = await listen(front);
    const status = async () => (await send(`${origin}/api/v1/payment/invoices`, { headers })).status;
    expect(await status()).toBe(200);
    const ending = request(`${origin}/api/v1/users/me/sessions`, { method: 'DELETE', headers });
    ending.on('error', () => {}).end();
    await arrived.promise;
    ending.destroy();
    gone.resolve();
    await expect.poll(status).toBe(401);
    await front.close();
    await service.stop();
  });

  test('none without a bearer, or with an invalid one', async () => {
    await newUser();
    for (const headers of [{}, { authorization: 'Bearer x' }]) {
      await Promise.all(
        ['/api/v1/payment/invoices', '/nothing', '/v2/nothing', '/docs', '/openapi.json'].map((path) =>
          send(url + path, { headers }),
        ),
      );
    }
    expect(commands).toEqual([]);
  });
});
