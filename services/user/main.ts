import { connect } from '@gatehouse/shared/database';
import { createMailer } from '@gatehouse/shared/mail';
import { runService } from '@gatehouse/shared/run';
import { buildUserService } from './app.ts';

await runService('user', async (config) => {
  const db = await connect(config.MONGODB_URI, { appName: 'user' });
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db, mailer });
  app.addHook('onClose', async () => {
    mailer.close();
    await db.close();
  });
  return { app, port: config.USER_PORT };
});
