import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, vi } from 'vitest';
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
    app = await buildUserService({ config, db: database.db, mailer, now: clock.now });
    // The jobs begin to look at their intervals when the service is ready.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const url = await listen(app);
    vi.useRealTimers();
    assign({ database, clock, url });
  });
  afterAll(async () => {
    await app.close();
    mailer.close();
    await database.drop();
  });
}
