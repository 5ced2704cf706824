import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildLoginService } from '../../services/login/app.ts';
import { COLLECTIONS } from '../../services/login/database.ts';
import { watchedDatabase } from '../fixtures/database.ts';
import { postForm, send } from '../fixtures/http.ts';
import { newMember } from '../fixtures/members.ts';
import { listen, testConfig } from '../fixtures/services.ts';

let database: Awaited<ReturnType<typeof watchedDatabase<typeof COLLECTIONS>>>;
let app: FastifyInstance;
let url: string;
beforeAll(async () => {
  database = await watchedDatabase(COLLECTIONS);
  // The user service does not run: neither a login nor a refresh asks it.
  const config = testConfig('login', { PASSWORD_STORAGE: 'plain', USER_SERVICE_URL: 'http://127.0.0.1:1' });
  app = await buildLoginService({ config, db: database.db });
  url = await listen(app);
});
afterAll(async () => {
  await app.close();
  await database.drop();
});

const login = (email: string) => postForm(`${url}/v2/login`, { email, password: 'secret' });

test('a login reads the account and its domain, and stores an audit event', async () => {
  const { email } = await newMember(database.db);
  // The first login from a network is remembered.
  expect((await login(email)).status).toBe(200);
  database.commands.length = 0;
  expect((await login(email)).status).toBe(200);
  expect(database.commands).toEqual(['find', 'aggregate', 'insert']);
  // The user service relays the login to webhooks.
  expect(await database.db.auditEvents.findOne()).toMatchObject({ action: 'login', relay: true });
});

test('a refresh costs the bearer check and an audit event', async () => {
  const { email } = await newMember(database.db);
  const { token } = (await login(email)).body;
  database.commands.length = 0;
  const headers = { authorization: `Bearer ${token}` };
  expect((await send(`${url}/auth/refresh`, { method: 'POST', headers })).status).toBe(200);
  expect(database.commands).toEqual(['find', 'insert']);
});
