import { createGatehouse, GatehouseError, memoryStorage, unwrap } from 'gatehouse';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { enrolled } from '../fixtures/enrolled.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { newMember } from '../fixtures/members.ts';
import { mailedCode, type Services, startServices } from '../fixtures/services.ts';

let services: Services;
let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  services = await startServices();
  gateway = await startGateway({
    env: { LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    clock: services.clock,
    database: services.db,
  });
});
afterAll(async () => {
  await gateway.stop();
  await services.stop();
});

/** A client with its calls recorded. */
function newClient(options: Parameters<typeof createGatehouse>[0] = {}) {
  const calls: string[] = [];
  const gate = createGatehouse({
    url: gateway.url,
    storage: memoryStorage(),
    now: services.clock.now,
    onResponse: ({ status }, { method, path }) => void calls.push(`${method} ${path} ${status}`),
    ...options,
  });
  return { gate, calls };
}

async function signedIn(options?: Parameters<typeof createGatehouse>[0]) {
  const account = await newMember(services.db);
  const { gate, calls } = newClient(options);
  const outcome = await gate.signIn({ email: account.email, password: 'secret' });
  expect(outcome.status).toBe('signed-in');
  calls.length = 0;
  return { gate, calls, account };
}

test('signs up by forms of the Direct contract, logs in and reads the profile', async () => {
  const { gate } = newClient();
  const email = 'ada.client@example.com';
  const signup = await gate.POST('/v2/signup', { body: { email, name: 'Ada', password: 'correct horse' } });
  expect(signup.error).toBeUndefined();
  const otp = mailedCode(services.mailbox, email);
  const verified = unwrap(await gate.POST('/v2/verify-otp', { body: { email, otp } }));
  expectTypeOf(verified.message).toBeString();

  const direct = unwrap(await gate.POST('/v2/login', { body: { email, password: 'correct horse' } }));
  await gate.session.begin(direct);
  expect(gate.session.current()).toMatchObject({ token: direct.token, userId: direct.user_id });

  const outcome = await gate.signIn({ email, password: 'correct horse' });
  expect(outcome).toEqual({ status: 'signed-in', session: gate.session.current() });
  const { data, error } = await gate.GET('/api/v1/users/me');
  expect({ email: data?.email, error }).toEqual({ email, error: undefined });
  expectTypeOf(data?.name).toEqualTypeOf<string | undefined>();
});

describe('a failure', () => {
  const body = { email: 'nobody@example.com', password: 'wrong' };
  const named = (error?: Pick<GatehouseError, 'reason' | 'status' | 'code'>) =>
    error && [error.reason, error.status, error.code];

  test('has its name, status and code in both contracts', async () => {
    const { gate } = newClient();
    const direct = await gate.POST('/v2/login', { body });
    expect(direct.error).toBeInstanceOf(GatehouseError);
    expect(named(direct.error)).toEqual(['accountDoesNotExist', 404, 'RESOURCE_NOT_FOUND']);
    const catalogue = await gate.POST('/api/v1/auth/login', { body });
    expect(named(catalogue.error)).toEqual(['invalidCredentials', 401, 'INVALID_CREDENTIALS']);
  });

  test('of a field is an invalid format, with the text of the server', async () => {
    const { error } = await newClient().gate.POST('/v2/login', { body: { ...body, email: '' } });
    expect(error).toMatchObject({ reason: 'invalidFormat', status: 400, message: 'email is required' });
  });

  test('of a network is returned as unreachable after the retries', async () => {
    const attempts: string[] = [];
    const offline = async () => {
      attempts.push('call');
      throw new TypeError('fetch failed');
    };
    const { gate } = newClient({ fetch: offline, retries: 1 });
    const { data, error } = await gate.GET('/api/v1/users/me');
    expect({ data, reason: error?.reason, attempts }).toEqual({
      data: undefined,
      reason: 'unreachable',
      attempts: ['call', 'call'],
    });
    if (error?.reason === 'confirmationRequired')
      expectTypeOf(error.details.methods).toEqualTypeOf<string[]>();
  });
});

test('a second factor is an outcome of the login', async () => {
  const account = await enrolled(services.db, services.clock);
  const { gate } = newClient();
  const first = await gate.signIn({ email: account.email, password: 'secret' });
  expect(first).toEqual({
    status: 'second-factor',
    factor_token: expect.any(String),
    methods: ['totp', 'recovery_code'],
  });
  expect(gate.session.current()).toBeUndefined();
  if (first.status !== 'second-factor') throw new Error('the login was complete');
  const { factor_token } = first;
  const wrong = await gate.completeSignIn({ factor_token, code: '000000' });
  expect(wrong).toMatchObject({ status: 'failed', error: { reason: 'codeInvalid' } });
  const second = await gate.completeSignIn({ factor_token, code: account.code() });
  expect(second.status).toBe('signed-in');
});

test('a call that needs a fresh session is repeated with its key once the person has confirmed', async () => {
  const asked: (readonly string[])[] = [];
  const { gate, calls } = await signedIn({
    onConfirmationRequired: async (methods) => {
      asked.push(methods);
      await gate.confirm({ password: 'secret' });
    },
  });
  services.clock.advance(11 * 60);
  const body = { name: 'build', permissions: ['view profile' as const] };
  const { data } = await gate.POST('/api/v1/users/me/keys', { body });
  expect(data?.key).toMatch(/^gh_/);
  expect(asked).toEqual([['password']]);
  expect(calls).toEqual([
    'POST /api/v1/users/me/keys 403',
    'POST /api/v1/auth/confirm 200',
    'POST /api/v1/users/me/keys 201',
  ]);
});

describe('the session', () => {
  test('is extended once by concurrent calls, when half of its life is over', async () => {
    const { gate, calls } = await signedIn();
    const before = gate.session.current();
    await gate.GET('/api/v1/users/me');
    expect(calls).toEqual(['GET /api/v1/users/me 200']);
    services.clock.advance(3_580);
    await Promise.all([gate.GET('/api/v1/users/me'), gate.GET('/api/v1/users/me')]);
    expect(calls.filter((call) => call.includes('refresh'))).toEqual(['POST /api/v1/auth/refresh 200']);
    expect(gate.session.current()?.expiresAt).toBe((before?.expiresAt ?? 0) + 3_580_000);
  });

  test('expires with its token, which is then sent no more', async () => {
    const { gate, calls } = await signedIn();
    services.clock.advance(3_601);
    const { error } = await gate.GET('/api/v1/users/me');
    expect(gate.session.state()).toEqual({ status: 'signed-out', end: 'expired' });
    expect({ reason: error?.reason, calls }).toEqual({
      reason: 'noAuthorizationHeader',
      calls: ['GET /api/v1/users/me 401'],
    });
  });

  test('ends when its bearer is refused, and listeners are told', async () => {
    const { gate, account } = await signedIn();
    const states: string[] = [];
    const stop = gate.session.subscribe(() => void states.push(gate.session.state().status));
    await services.db.users.updateOne({ _id: account._id }, { $set: { account_status: 'disabled' } });
    services.clock.advance(2);
    const { error } = await gate.GET('/api/v1/users/me');
    stop();
    expect({ reason: error?.reason, states }).toEqual({ reason: 'invalidToken', states: ['signed-out'] });
  });

  test('is ended at the server by signing out', async () => {
    const { gate, calls } = await signedIn();
    const token = gate.session.current()?.token;
    expect(await gate.signOut()).toEqual({});
    expect(calls).toEqual(['POST /api/v1/auth/logout 200']);
    expect(gate.session.state()).toEqual({ status: 'signed-out', end: 'signed-out' });
    const { status } = await fetch(`${gateway.url}/api/v1/users/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(status).toBe(401);
  });

  test('is shared through its storage, and another tab follows', async () => {
    const storage = memoryStorage();
    const listeners: (() => void)[] = [];
    const onChange = (listener: () => void) => {
      listeners.push(listener);
      return () => {};
    };
    const shared = { ...storage, onChange };
    const first = await signedIn({ storage: shared });
    const second = newClient({ storage: shared }).gate;
    expect(second.session.current()).toEqual(first.gate.session.current());
    await first.gate.signOut();
    for (const listener of listeners) listener();
    expect(second.session.state()).toEqual({ status: 'signed-out' });
  });

  test('is loaded from a storage that answers later', async () => {
    const value = JSON.stringify({
      token: 't',
      userId: null,
      issuedAt: 0,
      expiresAt: services.clock.now() + 1,
    });
    const { gate } = newClient({ storage: { read: async () => value, write: async () => {} } });
    expect(gate.session.state()).toEqual({ status: 'loading' });
    await gate.session.loaded;
    expect(gate.session.current()?.token).toBe('t');
  });
});
