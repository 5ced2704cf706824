import { loadConfig } from '@gatehouse/shared/config';
import { connect } from '@gatehouse/shared/data/connect';
import { findUserByEmail } from '@gatehouse/shared/identity/users';
import { personIdOf } from '../../../services/user/admin/people/find-person.ts';
import { buildUserService } from '../../../services/user/app.ts';
import { COLLECTIONS } from '../../../services/user/database.ts';
import { createMailer } from '../../../services/user/mail/mailer.ts';
import { type AdminApi, ApiError, UnknownAddress } from './api.ts';

/**
 * Runs the operations in this process, on the database at MONGODB_URI, also when no service runs. The services mail the
 * notices.
 * @throws {ConfigError}
 */
export async function openInProcess(env: NodeJS.ProcessEnv): Promise<AdminApi> {
  // Production refuses settings that do not matter here.
  const { config } = loadConfig('user', {
    ...env,
    JWT_SECRET: env.JWT_SECRET || 'not used here',
    NODE_ENV: 'development',
    LOG_LEVEL: 'silent',
  });
  const db = await connect(config.MONGODB_URI, COLLECTIONS, { appName: 'command' });
  const mailer = createMailer(config);
  const app = await buildUserService({ config, db, mailer, isCommandLine: true });
  return {
    where: 'the database at MONGODB_URI',
    async call(method, path, body) {
      const response = await app.inject({
        method: method as 'GET',
        url: path,
        ...(body && { payload: body }),
      });
      const answer: unknown = response.body === '' ? undefined : response.json();
      if (response.statusCode >= 300) throw new ApiError(response.statusCode, answer);
      return answer;
    },
    async personIdOf(email) {
      const user = await findUserByEmail(db.users, email);
      if (!user) throw new UnknownAddress(email);
      return personIdOf(user);
    },
    async close() {
      await app.close();
      mailer.close();
      await db.close();
    },
  };
}
