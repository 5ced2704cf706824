import { connect } from '@gatehouse/shared/database';
import { runService } from '@gatehouse/shared/run';
import { buildLoginService } from './app.ts';

await runService('login', async (config) => {
  const db = await connect(config.MONGODB_URI, { appName: 'login' });
  const app = await buildLoginService({ config, db });
  app.addHook('onClose', () => db.close());
  return { app, port: config.LOGIN_PORT };
});
