import { type Config, loadConfig, type Service } from '@gatehouse/shared/config';
import { connect } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Mailbox } from '@gatehouse/standalone/mailbox/mailbox';
import type { FastifyInstance } from 'fastify';
import { buildGateway } from '../../../services/gateway/app.ts';
import { createCaptchaGate } from '../../../services/gateway/captcha/gate.ts';
import { COLLECTIONS as GATEWAY_COLLECTIONS } from '../../../services/gateway/database.ts';
import { LIMITS } from '../../../services/gateway/limits.ts';
import { memoryCounters } from '../../../services/gateway/policy/counters-memory.ts';
import { buildLoginService } from '../../../services/login/app.ts';
import { COLLECTIONS as LOGIN_COLLECTIONS } from '../../../services/login/database.ts';
import { buildUserService } from '../../../services/user/app.ts';
import { COLLECTIONS as USER_COLLECTIONS } from '../../../services/user/database.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { cheapPasswords } from './cheap-passwords.ts';

const HOST = '127.0.0.1';
/** Milliseconds for the database: a test waits as long for a fault of it. */
const DATABASE_TIMEOUT = 2_000;

interface Options {
  port: number;
  /** The settings of all services. */
  settings: Record<string, string>;
  mailbox: Mailbox;
  now: () => number;
  /** Whether every CAPTCHA fails for the moment. */
  isCaptchaDown: () => boolean;
}

/** Starts the services as their `main.ts` does, in this process. */
export async function startServices({ port, settings, mailbox, now, isCaptchaDown }: Options) {
  const configOf = <S extends Service>(service: S, more: Record<string, string> = {}): Config<S> =>
    loadConfig(service, { ...settings, SMTP_URL: `smtp://${HOST}:${mailbox.port}`, ...more }).config;
  const userConfig = configOf('user');
  const collections = { ...USER_COLLECTIONS, ...LOGIN_COLLECTIONS, ...GATEWAY_COLLECTIONS };
  const db = await connect(userConfig.MONGODB_URI, collections, {
    appName: 'testing',
    timeout: DATABASE_TIMEOUT,
  });
  const passwords = cheapPasswords();
  const mailer = createMailer(userConfig);
  const apps: FastifyInstance[] = [];
  async function listen(app: FastifyInstance, port = 0): Promise<string> {
    apps.push(app);
    return app.listen({ host: HOST, port });
  }
  async function stop(): Promise<void> {
    // The gateway first: requests in flight still need the services behind it.
    for (const app of apps.toReversed()) await app.close();
    mailer.close();
    await db.close();
  }

  try {
    const user = await listen(await buildUserService({ config: userConfig, db, mailer, passwords, now }));
    const loginConfig = configOf('login', { USER_SERVICE_URL: user });
    const login = await listen(await buildLoginService({ config: loginConfig, db, passwords, now }));
    const config = configOf('gateway', { USER_SERVICE_URL: user, LOGIN_SERVICE_URL: login });
    const counters = memoryCounters(now);
    const checkCaptcha = createCaptchaGate(config, db, LIMITS.captcha);
    const captcha: typeof checkCaptcha = async (...attempt) => {
      if (isCaptchaDown()) throw new AppError('captchaFailed', { cause: 'failed by the test' });
      await checkCaptcha(...attempt);
    };
    await listen(await buildGateway({ config, db, counters, captcha, now }), port);
    return {
      db,
      user,
      counters,
      passwords,
      userConfig,
      loginConfig,
      /** Lets the jobs of all services look for work, and waits until they have looked. */
      async runJobs(): Promise<void> {
        await Promise.all(apps.flatMap(({ jobs = [] }) => jobs.map((job) => job.runNow?.())));
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type Services = Awaited<ReturnType<typeof startServices>>;
