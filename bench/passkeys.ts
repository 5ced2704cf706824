import { randomUUID } from 'node:crypto';
import { connect } from '@gatehouse/shared/data/connect';
import { COLLECTIONS } from '../services/user/database.ts';
import { type Authenticator, softwareAuthenticator } from '../test/fixtures/authenticator.ts';
import { postJson } from '../test/fixtures/http.ts';
import type { launch } from '../test/fixtures/launcher.ts';
import { createAccounts } from './account.ts';
import { PEOPLE } from './people.ts';
import { expectOk } from './rivals/server.ts';

/** Creates the accounts at Gatehouse, with a password and passkeys as a registration stores them. */
export async function createPasskeys({
  mongodb,
  gateway,
}: Pick<Awaited<ReturnType<typeof launch>>, 'mongodb' | 'gateway'>): Promise<Authenticator[]> {
  await createAccounts(mongodb, PEOPLE);
  const origin = gateway.replace('127.0.0.1', 'localhost');
  const db = await connect(mongodb, COLLECTIONS, { appName: 'bench' });
  const accounts = await db.users.find({ user_id: { $in: PEOPLE.map(({ user_id }) => user_id) } }).toArray();
  const authenticators: Authenticator[] = [];
  for (const { _id } of accounts) {
    const handle = randomUUID();
    const authenticator = softwareAuthenticator({ origin });
    authenticator.create({ challenge: '', user: { id: handle } });
    await db.passkeys.insertOne({
      _id: authenticator.id,
      passkey_id: randomUUID(),
      account: _id,
      name: 'Bench',
      public_key: authenticator.publicKey,
      counter: 0,
      synced: true,
      aaguid: '00000000-0000-0000-0000-000000000000',
      transports: ['internal'],
      created_at: new Date(),
    });
    await db.users.updateOne({ _id }, { $set: { passkeys: [authenticator.id], passkey_handle: handle } });
    authenticators.push(authenticator);
  }
  await db.close();
  return authenticators;
}

/** Logs in at the login service of Gatehouse, by both calls. */
export async function logInWithPasskey(loginService: string, authenticator: Authenticator) {
  const url = `${loginService}/api/v1/auth/login/passkey`;
  const { body } = await expectOk(postJson(`${url}/options`, {}));
  const { passkey_token, options } = body;
  return expectOk(postJson(url, { passkey_token, credential: authenticator.get(options) }));
}
