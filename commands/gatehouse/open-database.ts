import { loadConfig } from '@gatehouse/shared/config';
import { connect } from '@gatehouse/shared/data/connect';
import { COLLECTIONS, type Database } from '../../services/user/database.ts';

/** Opens the database of the services at MONGODB_URI. @throws {ConfigError} */
export async function openDatabase(): Promise<Database> {
  const { config } = loadConfig('user', {
    ...process.env,
    JWT_SECRET: 'not used here',
    NODE_ENV: 'development',
  });
  return connect(config.MONGODB_URI, COLLECTIONS, { appName: 'command' });
}
