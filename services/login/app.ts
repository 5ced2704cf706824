import type { Config } from '@gatehouse/shared/config';
import type { Database } from '@gatehouse/shared/database';
import { forms } from '@gatehouse/shared/forms';
import { requirePrincipal } from '@gatehouse/shared/principal';
import { createServer } from '@gatehouse/shared/server';
import { createTokens } from '@gatehouse/shared/tokens';
import { catalogueLogin } from './catalogue-login.ts';
import { login } from './login.ts';
import { session } from './session.ts';

export interface LoginServiceOptions {
  config: Config<'login'>;
  db: Database;
  /** Unix milliseconds; a test sets its own clock. */
  now?: () => number;
  logStream?: { write(line: string): void };
}

export async function buildLoginService({ config, db, now = Date.now, logStream }: LoginServiceOptions) {
  const tokens = createTokens(config);
  const app = await createServer({
    name: 'login',
    description: 'Checks an e-mail and a password and issues a signed token.',
    config,
    checks: { mongodb: { needed: true, check: db.ping } },
    hooks: (server) => server.register(requirePrincipal, { users: db.users, tokens, now }),
    now,
    ...(logStream && { logStream }),
  });
  await app.register(async (direct) => {
    await direct.register(forms);
    await direct.register(login, { db, tokens, now });
  });
  await app.register(catalogueLogin, { db, tokens, now });
  await app.register(session, { config, db, tokens, now });
  return app;
}
