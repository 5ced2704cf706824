import { connect } from '@gatehouse/shared/data/connect';
import { createLogger } from '@gatehouse/shared/http/logger';
import { runService } from '@gatehouse/shared/run';
import { buildLoginService } from './app.ts';
import { COLLECTIONS } from './database.ts';

await runService('login', async (config) => {
  const db = await connect(config.MONGODB_URI, COLLECTIONS, {
    appName: 'login',
    log: createLogger('login', config.LOG_LEVEL),
  });
  const app = await buildLoginService({ config, db });
  app.addHook('onClose', () => db.close());
  return { app, port: config.LOGIN_PORT };
});
