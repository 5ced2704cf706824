import { connect } from '@gatehouse/shared/data/connect';
import { createLoggers } from '@gatehouse/shared/http/logger';
import { runService } from '@gatehouse/shared/run';
import { buildLoginService } from './app.ts';
import { COLLECTIONS } from './database.ts';

await runService('login', async (config) => {
  const db = await connect(config.MONGODB_URI, COLLECTIONS, {
    appName: 'login',
    log: createLoggers('login', config.LOG_LEVEL).logger,
  });
  const app = await buildLoginService({ config, db });
  app.addHook('onClose', () => db.close());
  return { app, port: config.LOGIN_PORT };
});
