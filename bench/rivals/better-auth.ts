import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postJson, send } from '../../test/fixtures/http.ts';
import { freePorts } from '../../test/fixtures/launcher.ts';
import { ACCOUNT, expectOk, type Server, startProcess } from './server.ts';

const FOLDER = 'bench/rivals';

/** better-auth, in `better-auth-server.mjs`. Its codes are mailed nowhere. */
export async function startBetterAuth(): Promise<Server> {
  if (!existsSync(`${FOLDER}/node_modules`)) {
    console.log('  installing better-auth from npm');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: FOLDER });
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-rival-'));
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const { stop } = await startProcess(
    process.execPath,
    [`${FOLDER}/better-auth-server.mjs`, String(port), join(folder, 'auth.sqlite')],
    { ready: `${url}/api/auth/ok`, env: { NODE_ENV: 'production' } },
  );
  const post = (path: string, body: object) =>
    expectOk(postJson(`${url}/api/auth/${path}`, body, { origin: url }));
  const signUp = async (email: string) => {
    await post('sign-up/email', { email, password: ACCOUNT.password, name: 'Bench' });
    const { body: otp } = await send(`${url}/codes?email=${encodeURIComponent(email)}`);
    await post('email-otp/verify-email', { email, otp });
  };
  const login = () => post('sign-in/email', ACCOUNT);
  await signUp(ACCOUNT.email);
  const { headers } = await login();
  const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return {
    login,
    profile: [`${url}/api/auth/get-session`, { headers: { cookie } }],
    signUp,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
