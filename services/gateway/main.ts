import { connect } from '@gatehouse/shared/database';
import { runService } from '@gatehouse/shared/run';
import { buildGateway } from './app.ts';

await runService('gateway', async (config) => {
  const db = await connect(config.MONGODB_URI, { appName: 'gateway' });
  const app = await buildGateway({ config, db });
  app.addHook('onClose', () => db.close());
  return { app, port: config.GATEWAY_PORT };
});
