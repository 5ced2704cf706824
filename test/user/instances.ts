import { connect } from '@gatehouse/shared/data/connect';
import { vi } from 'vitest';
import { buildUserService } from '../../services/user/app.ts';
import { COLLECTIONS, type Database } from '../../services/user/database.ts';
import { createMailer } from '../../services/user/mail/mailer.ts';
import { listen, startServices, testConfig } from '../fixtures/services.ts';

/** Starts the services, and a second instance of the user service on the same database. */
export async function startTwoInstances(env: NodeJS.ProcessEnv = {}) {
  const services = await startServices({ env });
  const { uri, mailbox, clock } = services;
  const config = testConfig('user', { ...env, SMTP_URL: `smtp://127.0.0.1:${mailbox.port}` });
  const db = await connect(uri, COLLECTIONS, { appName: 'user' });
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db, mailer, now: clock.now });
  return {
    ...services,
    /** The connection of the second instance. */
    secondDb: db,
    /** The base URLs of the user service. */
    instances: [services.user, await listen(app)],
    async stop() {
      await app.close();
      mailer.close();
      await db.close();
      await services.stop();
    },
  };
}

export type TwoInstances = Awaited<ReturnType<typeof startTwoInstances>>;

/** Lifts the limits of invitations, for tests that are not about them. */
export function liftInvitationLimits(...databases: Database[]): void {
  for (const { budgets } of databases)
    vi.spyOn(budgets, 'updateOne').mockResolvedValue({ matchedCount: 1 } as never);
}
