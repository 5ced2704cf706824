import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { COLLECTIONS } from '../../services/login/database.ts';
import { softwareAuthenticator } from '../fixtures/authenticator.ts';
import { testClock } from '../fixtures/clock.ts';
import { watchedDatabase } from '../fixtures/database.ts';
import { enrolled } from '../fixtures/enrolled.ts';
import { type Answered, postForm, postJson, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { listen, testConfig } from '../fixtures/services.ts';

const clock = testClock();
let database: Awaited<ReturnType<typeof watchedDatabase<typeof COLLECTIONS>>>;
let app: FastifyInstance;
let url: string;
beforeAll(async () => {
  database = await watchedDatabase(COLLECTIONS);
  // The user service does not run: neither a login nor a refresh asks it.
  const config = testConfig('login', { PASSWORD_STORAGE: 'plain', USER_SERVICE_URL: 'http://127.0.0.1:1' });
  app = await buildLoginService({ config, db: database.db, now: clock.now });
  url = await listen(app);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

const login = (email: string, headers = {}) =>
  postForm(`${url}/v2/login`, { email, password: 'secret' }, headers);

test('a login reads the account and its domain, and stores an audit event', async () => {
  const { email } = await newMember(database.db);
  // The first login from a network is remembered.
  expect((await login(email)).status).toBe(200);
  database.commands.length = 0;
  expect((await login(email)).status).toBe(200);
  expect(database.commands).toEqual(['find', 'aggregate', 'insert']);
  // A known device and network costs a write once a week.
  clock.advance(6 * 86_400);
  database.commands.length = 0;
  expect((await login(email)).status).toBe(200);
  expect(database.commands).toEqual(['find', 'aggregate', 'insert']);
  // The user service relays the login to webhooks.
  expect(await database.db.auditEvents.findOne()).toMatchObject({ action: 'login', relay: true });
});

test('a login from a new device stores its notice with the write that remembers the device', async () => {
  const { email } = await newMember(database.db);
  expect((await login(email)).status).toBe(200);
  database.commands.length = 0;
  expect((await login(email, { 'user-agent': 'curl/8.0' })).status).toBe(200);
  expect(database.commands.toSorted()).toEqual(['aggregate', 'find', 'insert', 'update']);
  expect((await database.db.users.findOne({ email }))?.notices).toMatchObject([{ kind: 'new_sign_in' }]);
});

test('a refresh costs the bearer check and an audit event', async () => {
  const { email } = await newMember(database.db);
  const { token } = (await login(email)).body;
  database.commands.length = 0;
  const headers = { authorization: `Bearer ${token}` };
  expect((await send(`${url}/auth/refresh`, { method: 'POST', headers })).status).toBe(200);
  expect(database.commands).toEqual(['find', 'insert']);
});

test('a login with a passkey reads it and its account, and consumes the ceremony', async () => {
  const handle = 'aGFuZGxl';
  const authenticator = softwareAuthenticator();
  authenticator.create({ challenge: '', user: { id: handle } });
  const { _id: account } = await newMember(database.db, {
    passkeys: [authenticator.id],
    passkey_handle: handle,
  });
  await database.db.passkeys.insertOne({
    _id: authenticator.id,
    passkey_id: 'one',
    account,
    name: 'Phone',
    public_key: authenticator.publicKey,
    counter: 0,
    synced: true,
    aaguid: '',
    transports: [],
    created_at: new Date(clock.now()),
  });
  const withPasskey = async () => {
    const { passkey_token, options } = (await postJson(`${url}/api/v1/auth/login/passkey/options`, {})).body;
    expect(database.commands).toEqual([]);
    const credential = authenticator.get(options);
    return postJson(`${url}/api/v1/auth/login/passkey`, { passkey_token, credential });
  };
  database.commands.length = 0;
  expect((await withPasskey()).status).toBe(200);
  database.commands.length = 0;
  expect((await withPasskey()).status).toBe(200);
  expect(database.commands).toEqual(['aggregate', 'insert', 'insert']);
});

describe('a login with a second factor', () => {
  const factor = (factor_token: string, code: string) =>
    postForm(`${url}/v2/login/factor`, { factor_token, code });
  const commandsOf = async (call: () => Promise<unknown>) => {
    database.commands.length = 0;
    await call();
    return [...database.commands];
  };

  test('costs one more read and one more write, and the audit event of the password', async () => {
    const { email, code } = await enrolled(database.db, clock);
    const first = (await login(email)).body.factor_token;
    expect((await factor(first, code())).status).toBe(200);
    let half: Answered | undefined;
    expect(await commandsOf(async () => (half = await login(email)))).toEqual(['find', 'insert']);
    const commands = await commandsOf(async () => {
      expect((await factor(half?.body.factor_token, code(1))).status).toBe(200);
    });
    expect(commands).toEqual(['find', 'aggregate', 'update', 'insert']);
  });

  test.each([
    ['wrong', {}],
    ['secret', { account_status: 'disabled' }],
    ['secret', { verified: false }],
  ])('refused with %j and %j, costs what any other account costs', async (password, fields) => {
    const plain = await newMember(database.db, fields);
    const withFactor = await enrolled(database.db, clock, fields);
    const refused = (email: string) => commandsOf(() => postForm(`${url}/v2/login`, { email, password }));
    expect(await refused(withFactor.email)).toEqual(await refused(plain.email));
  });
});
