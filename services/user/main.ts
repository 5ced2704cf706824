import { connect } from '@gatehouse/shared/data/connect';
import { createLogger } from '@gatehouse/shared/http/logger';
import { runService } from '@gatehouse/shared/run';
import { buildUserService } from './app.ts';
import { COLLECTIONS } from './database.ts';
import { createMailer } from './mail/mailer.ts';

await runService('user', async (config) => {
  const db = await connect(config.MONGODB_URI, COLLECTIONS, {
    appName: 'user',
    log: createLogger('user', config.LOG_LEVEL),
  });
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db, mailer });
  app.addHook('onClose', async () => {
    mailer.close();
    await db.close();
  });
  return { app, port: config.USER_PORT };
});
