import type { Config } from '@gatehouse/shared/config';
import { createServer } from '@gatehouse/shared/http/server';
import { createPasswords, type Passwords } from '@gatehouse/shared/identity/passwords';
import { requirePrincipal } from '@gatehouse/shared/identity/principal';
import { createTokens } from '@gatehouse/shared/identity/tokens';
import { addOperations } from '@gatehouse/shared/operation/add-operations';
import type { Database } from './database.ts';
import { createLegacyLogin } from './legacy-login.ts';
import { OPERATIONS } from './operations.ts';

interface LoginServiceOptions {
  config: Config<'login'>;
  db: Database;
  passwords?: Passwords;
  /** Returns Unix milliseconds. */
  now?: () => number;
  logStream?: { write(line: string): void };
}

export async function buildLoginService({
  config,
  db,
  passwords = createPasswords(),
  now = Date.now,
  logStream,
}: LoginServiceOptions) {
  const tokens = createTokens(config);
  const app = await createServer({
    name: 'login',
    description: 'Checks an e-mail and a password and issues a signed token.',
    config,
    checks: { mongodb: { needed: true, check: db.ping } },
    hooks: (server) => server.register(requirePrincipal, { db, tokens, now }),
    now,
    ...(logStream && { logStream }),
  });
  const legacyLogin = createLegacyLogin({ config, db, tokens, now });
  await addOperations(app, OPERATIONS, { config, db, passwords, tokens, legacyLogin, now });
  return app;
}
