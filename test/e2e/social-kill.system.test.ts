import { startPracticeIdp } from '@gatehouse/practice-idp/practice-idp';
import { createSigningKey } from '@gatehouse/practice-idp/signing-key';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../services/user/database.ts';
import { freshDatabase } from '../fixtures/database.ts';
import { startHoldingProxy } from '../fixtures/holding-proxy.ts';
import { type Answered, send } from '../fixtures/http.ts';
import { freePorts } from '../fixtures/launcher.ts';
import { standaloneDatabase } from '../fixtures/mongodb.ts';
import { createProcesses } from '../fixtures/processes.ts';
import { JWT_SECRET } from '../fixtures/services.ts';
import { answerAt } from '../practice-idp/social-person.ts';
import { locationOf, newBrowser } from '../sso/oidc/oidc-service.ts';

const PUBLIC_URL = 'http://localhost:8000';

let database: Awaited<ReturnType<typeof freshDatabase<typeof COLLECTIONS>>>;
let practice: Awaited<ReturnType<typeof startPracticeIdp>>;
let proxy: Awaited<ReturnType<typeof startHoldingProxy>>;
let port: number;
const { start, end } = createProcesses<'user'>(() => ({
  script: 'services/user/main.ts',
  env: {
    MONGODB_URI: proxy.uri,
    JWT_SECRET,
    PUBLIC_URL,
    LOG_LEVEL: 'warn',
    USER_PORT: String(port),
    SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
    ...practice.environment,
  },
}));
beforeAll(async () => {
  database = await freshDatabase(COLLECTIONS);
  practice = await startPracticeIdp({
    port: 0,
    ldapPort: 0,
    gatehouse: PUBLIC_URL,
    key: await createSigningKey(),
  });
  proxy = await startHoldingProxy(database.uri);
  [port = 0] = await freePorts(1);
});
beforeEach(async () => {
  const { users, loginNames, features, auditEvents } = database.db;
  await Promise.all([users, loginNames, features, auditEvents].map((each) => each.deleteMany({})));
});
afterAll(async () => {
  await end('user');
  await proxy.stop();
  await practice.stop();
  await database.drop();
});

/** Logs Ada in at the provider. @returns the answer that holds her token. */
async function logIn(): Promise<Answered> {
  const browser = newBrowser({ url: `http://127.0.0.1:${port}` });
  const begun = await browser('/social/google/login');
  const { address, fields } = await answerAt(locationOf(begun), { person: 'ada' });
  const end = await browser(`${address}?${new URLSearchParams(fields)}`);
  const [, code = ''] = locationOf(end).split('#code=');
  return browser.post('/api/v1/auth/sso/exchange', { code });
}

// A proxy stands for one server, and the members of a replica set name each other.
describe.runIf(standaloneDatabase)('a first login whose process is killed', () => {
  test.each([
    ['after it has claimed the login name', 'users', 0],
    ['after it has created the account', 'features', 1],
    ['before its event is stored', 'audit_events', 1],
  ])('%s is completed by the next', async (_, collection, accounts) => {
    const { users, loginNames, features, auditEvents } = database.db;
    await start('user');
    const held = proxy.hold(collection);
    const interrupted = logIn();
    interrupted.catch(() => {}); // its connection ends
    await held;
    await end('user');
    await expect(interrupted).rejects.toThrow();
    expect(await loginNames.countDocuments()).toBe(1);
    expect(await users.countDocuments()).toBe(accounts);
    proxy.pass();

    await start('user');
    const { status, body } = await logIn();
    expect({ status, body }).toMatchObject({ status: 200 });
    const authorization = `Bearer ${body.access_token}`;
    const profile = await send(`http://127.0.0.1:${port}/api/v1/users/me`, { headers: { authorization } });
    expect(profile.body).toMatchObject({ user_id: body.user_id, email: 'ada@practice.test' });
    const { user_id } = body;
    const [name, ...otherNames] = await loginNames.find().toArray();
    const [account, ...others] = await users.find().toArray();
    expect([otherNames, others]).toEqual([[], []]);
    expect(name).toMatchObject({ user_id });
    expect(account).toMatchObject({ user_id, links: [name?._id], features_assigned: true });
    expect((await features.find().toArray()).map((each) => each.user_id)).toEqual([user_id]);
    expect(await auditEvents.countDocuments({ action: 'login', outcome: 'success' })).toBe(1);
    expect((await logIn()).body.user_id).toBe(user_id);
    await end('user');
  });
});
