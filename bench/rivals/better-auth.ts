import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { softwareAuthenticator } from '../../test/fixtures/authenticator.ts';
import { postJson, send } from '../../test/fixtures/http.ts';
import { freePorts } from '../../test/fixtures/launcher.ts';
import { inTurns, PEOPLE } from '../people.ts';
import { ACCOUNT, atProvider, CLIENT, cookieOf, expectOk, type Server, startProcess } from './server.ts';

const FOLDER = 'bench/rivals';

/**
 * better-auth, in `better-auth-server.mjs`. Its codes are mailed nowhere.
 * @param provider the issuer of social login.
 */
export async function startBetterAuth(provider: string): Promise<Server> {
  if (!existsSync(`${FOLDER}/node_modules/@better-auth/passkey`)) {
    console.log('  installing better-auth from npm');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: FOLDER });
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-rival-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const { stop } = await startProcess(
    process.execPath,
    [
      `${FOLDER}/better-auth-server.mjs`,
      String(port),
      join(folder, 'auth.sqlite'),
      JSON.stringify({ issuer: provider, ...CLIENT }),
    ],
    { ready: `${url}/api/auth/ok`, env: { NODE_ENV: 'production' } },
  );
  const get = (path: string, headers = {}) => expectOk(send(`${url}/api/auth/${path}`, { headers }));
  const post = (path: string, body: object, headers = {}) =>
    expectOk(postJson(`${url}/api/auth/${path}`, body, { origin: url, ...headers }));
  const signUp = async (email: string) => {
    await post('sign-up/email', { email, password: ACCOUNT.password, name: 'Bench' });
    const { body: otp } = await send(`${url}/codes?email=${encodeURIComponent(email)}`);
    await post('email-otp/verify-email', { email, otp });
  };
  const login = (email = ACCOUNT.email) => post('sign-in/email', { email, password: ACCOUNT.password });
  const registerPasskey = async ({ email }: { email: string }) => {
    await signUp(email);
    const session = cookieOf(await login(email));
    const options = await get('passkey/generate-register-options', { cookie: session });
    const authenticator = softwareAuthenticator({ rpId: '127.0.0.1', origin: url });
    const response = authenticator.create(options.body);
    const cookie = `${session}; ${cookieOf(options)}`;
    await post('passkey/verify-registration', { response }, { cookie });
    return authenticator;
  };
  await signUp(ACCOUNT.email);
  const cookie = cookieOf(await login());
  const authenticators = inTurns(await Promise.all(PEOPLE.map(registerPasskey)));
  return {
    login: () => login(),
    profile: [`${url}/api/auth/get-session`, { headers: { cookie } }],
    signUp,
    async passkeyLogin() {
      const options = await get('passkey/generate-authenticate-options');
      const response = authenticators.next().value.get(options.body);
      return post('passkey/verify-authentication', { response }, { cookie: cookieOf(options) });
    },
    async socialLogin() {
      const begun = await post('sign-in/social', { provider: 'bench', callbackURL: '/' });
      const back = await atProvider(begun.body.url);
      // Its redirects say that they are JSON, and are empty.
      const end = await request(back, { headers: { cookie: cookieOf(begun) } });
      await end.body.dump();
      if (!String(end.headers['set-cookie']).includes('session_token='))
        throw new Error(`the callback of better-auth answered ${end.statusCode}: ${end.headers.location}`);
    },
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
