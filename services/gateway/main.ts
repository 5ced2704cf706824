import { connect } from '@gatehouse/shared/data/connect';
import { createLogger } from '@gatehouse/shared/http/logger';
import { runService } from '@gatehouse/shared/run';
import { buildGateway } from './app.ts';
import { COLLECTIONS } from './database.ts';

await runService('gateway', async (config) => {
  const db = await connect(config.MONGODB_URI, COLLECTIONS, {
    appName: 'gateway',
    log: createLogger('gateway', config.LOG_LEVEL),
  });
  const app = await buildGateway({ config, db });
  app.addHook('onClose', () => db.close());
  return { app, port: config.GATEWAY_PORT };
});
