import { randomBytes } from 'node:crypto';
import { startMailbox } from '@gatehouse/standalone/mailbox/mailbox';
import { postJson } from '../../test/fixtures/http.ts';
import { freePorts } from '../../test/fixtures/launcher.ts';
import { ACCOUNT, expectOk, type Server, startProcess } from './server.ts';

/** Connections to PostgreSQL. The default keeps only two idle ones, so a load connects anew again and again. */
const CONNECTIONS = '20';

/** GoTrue, the server of Supabase Auth. Its codes are mailed to a mailbox in this process, and read there. */
export async function startGoTrue(): Promise<Server> {
  const { GOTRUE = '', GOTRUE_DATABASE_URL = '' } = process.env;
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const mailbox = await startMailbox({ port: 0 });
  const { stop } = await startProcess(GOTRUE, [], {
    ready: `${url}/health`,
    env: {
      DATABASE_URL: GOTRUE_DATABASE_URL,
      GOTRUE_DB_DRIVER: 'postgres',
      GOTRUE_DB_MAX_POOL_SIZE: CONNECTIONS,
      GOTRUE_DB_MAX_IDLE_POOL_SIZE: CONNECTIONS,
      GOTRUE_API_HOST: '127.0.0.1',
      PORT: String(port),
      API_EXTERNAL_URL: url,
      GOTRUE_SITE_URL: url,
      GOTRUE_JWT_SECRET: randomBytes(32).toString('hex'),
      GOTRUE_JWT_AUD: 'authenticated',
      GOTRUE_JWT_DEFAULT_GROUP_NAME: 'authenticated',
      GOTRUE_LOG_LEVEL: 'warn',
      GOTRUE_SMTP_HOST: '127.0.0.1',
      GOTRUE_SMTP_PORT: String(mailbox.port),
      GOTRUE_SMTP_ADMIN_EMAIL: 'auth@example.com',
      // The built-in mail holds a link; its subject can hold the code.
      GOTRUE_MAILER_SUBJECTS_CONFIRMATION: '{{ .Token }}',
      // Mails an hour. Other limits are off unless a header names the client.
      GOTRUE_RATE_LIMIT_EMAIL_SENT: '1000000',
    },
  });
  const post = (path: string, body: object) => expectOk(postJson(`${url}${path}`, body));
  const signUp = async (email: string) => {
    await post('/signup', { email, password: ACCOUNT.password });
    const token = mailbox.mails.find(({ recipients }) => recipients.includes(email))?.content.subject;
    await post('/verify', { type: 'signup', email, token });
  };
  const login = () => post('/token?grant_type=password', ACCOUNT);
  await signUp(ACCOUNT.email);
  const { body: session } = await login();
  return {
    login,
    profile: [`${url}/user`, { headers: { authorization: `Bearer ${session.access_token}` } }],
    signUp,
    async stop() {
      await stop();
      await mailbox.close();
    },
  };
}
