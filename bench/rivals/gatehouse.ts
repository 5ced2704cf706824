import { connect } from '@gatehouse/shared/data/connect';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import { COLLECTIONS } from '../../services/user/database.ts';
import { postForm } from '../../test/fixtures/http.ts';
import { launch } from '../../test/fixtures/launcher.ts';
import { bearer, createAccount, PERSON } from '../account.ts';
import { createPasskeys, logInWithPasskey } from '../passkeys.ts';
import { expectOk, inTurns, type Server } from './server.ts';

/** Gatehouse. Its codes are mailed to its mailbox, and read from the database. */
export async function startGatehouse(): Promise<Server> {
  const { up, stop, mongodb, gateway, login, user } = await launch({ env: { LOG_LEVEL: 'warn' } });
  try {
    await up;
    await createAccount(mongodb);
    const authenticators = inTurns(await createPasskeys({ mongodb, gateway }));
    const db = await connect(mongodb, COLLECTIONS, { appName: 'bench' });
    const { email, password } = PERSON;
    return {
      login: () => expectOk(postForm(`${login}/v2/login`, { email, password })),
      profile: [`${user}/api/v1/users/me`, { headers: { authorization: await bearer(login) } }],
      async signUp(email) {
        await expectOk(postForm(`${user}/v2/signup`, { email, password, name: 'Bench' }));
        const otp = (await findUserByEmail(db.users, email))?.otp ?? '';
        await expectOk(postForm(`${user}/v2/verify-otp`, { email, otp }));
      },
      passkeyLogin: () => logInWithPasskey(login, authenticators.next().value),
      async stop() {
        await db.close();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
