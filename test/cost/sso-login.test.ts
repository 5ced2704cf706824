import { connect } from '@gatehouse/shared/data/connect';
import type { MongoClient } from 'mongodb';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { loginConnection } from '../../packages/sso/login/login-connection.ts';
import { COLLECTIONS as GATEWAY_COLLECTIONS } from '../../services/gateway/database.ts';
import { COLLECTIONS } from '../../services/user/database.ts';
import { withOptions } from '../fixtures/mongodb.ts';
import { type SsoService, startSsoService } from '../sso/sso-service.ts';
import { type Employer, newEmployer } from '../user/provisioning/provisioner.ts';

let service: SsoService;
let watched: SsoService['db'];
let employer: Employer;
const commands: string[] = [];

beforeAll(async () => {
  service = await startSsoService();
  const uri = withOptions(service.uri, { monitorCommands: 'true' });
  watched = await connect(uri, { ...COLLECTIONS, ...GATEWAY_COLLECTIONS }, { appName: 'test' });
  const { client } = watched.users as unknown as { client: MongoClient };
  client.on('commandStarted', ({ commandName }) => commands.push(commandName));
});
afterAll(async () => {
  await watched.close();
  await service.stop();
});
beforeEach(async () => {
  employer = await newEmployer({ ...service, db: watched });
});

test('reads a connection and the plan of its organization with one command', async () => {
  const { protocol, connection_id } = employer.connection;
  commands.length = 0;
  expect(await loginConnection({ db: watched, now: Date.now }, { protocol, connection_id })).toMatchObject(
    employer.connection,
  );
  expect(commands).toEqual(['aggregate']);
});

test.each([
  ['a role and a department', { role: 'Editor', department: 'Engineering' }],
  ['neither role nor department', {}],
])('reads an unchanged person with %s with one command and writes nothing', async (_, profile) => {
  const { user_id } = await employer.logIn(profile);
  commands.length = 0;
  expect(await employer.logIn(profile)).toMatchObject({ user_id });
  expect(commands).toEqual(['aggregate']);
});
