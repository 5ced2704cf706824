import { connect } from '@gatehouse/shared/data/connect';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import { COLLECTIONS } from '../../services/user/database.ts';
import { postForm, postJson, send } from '../../test/fixtures/http.ts';
import { launch } from '../../test/fixtures/launcher.ts';
import { bearer, createAccount, PERSON } from '../account.ts';
import { createPasskeys, logInWithPasskey } from '../passkeys.ts';
import { inTurns } from '../people.ts';
import { atProvider, CLIENT, cookieOf, expectOk, type Server } from './server.ts';

/**
 * Gatehouse. Its codes are mailed to its mailbox, and read from the database.
 * @param provider the issuer of social login.
 */
export async function startGatehouse(provider: string): Promise<Server> {
  const { up, stop, mongodb, gateway, login, user } = await launch({
    env: {
      LOG_LEVEL: 'warn',
      SOCIAL_PROVIDERS: 'bench',
      SOCIAL_BENCH_ISSUER: provider,
      SOCIAL_BENCH_CLIENT_ID: CLIENT.id,
      SOCIAL_BENCH_CLIENT_SECRET: CLIENT.secret,
    },
  });
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
      async socialLogin() {
        const begun = await send(`${user}/social/bench/login`);
        const back = await atProvider(String(begun.headers.get('location')));
        const cookie = cookieOf(begun);
        const end = await send(`${user}${back.pathname}${back.search}`, { headers: { cookie } });
        const [, code = ''] = String(end.headers.get('location')).split('#code=');
        await expectOk(postJson(`${user}/api/v1/auth/sso/exchange`, { code }, { cookie }));
      },
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
