import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll } from 'vitest';
import { buildUserService } from '../../services/user/app.ts';
import { COLLECTIONS } from '../../services/user/database.ts';
import { createMailer, type Mailer } from '../../services/user/mail/mailer.ts';
import { type Clock, testClock } from '../fixtures/clock.ts';
import { watchedDatabase } from '../fixtures/database.ts';
import { listen, testConfig } from '../fixtures/services.ts';

export interface WatchedService {
  database: Awaited<ReturnType<typeof watchedDatabase<typeof COLLECTIONS>>>;
  clock: Clock;
  url: string;
}

/**
 * Starts the user service with a database that records commands, for the tests of a file, and stops it. Its jobs rest.
 * @param assign receives what was started.
 */
export function withUserService(assign: (started: WatchedService) => void, env?: NodeJS.ProcessEnv): void {
  let database: WatchedService['database'];
  let mailer: Mailer;
  let app: FastifyInstance;
  beforeAll(async () => {
    database = await watchedDatabase(COLLECTIONS);
    const config = testConfig('user', env);
    mailer = createMailer(config);
    const clock = testClock();
    const delivery = { poll: 3_600_000 };
    app = await buildUserService({ config, db: database.db, mailer, delivery, now: clock.now });
    assign({ database, clock, url: await listen(app) });
  });
  afterAll(async () => {
    await app.close();
    mailer.close();
    await database.drop();
  });
}
