import type { Config } from '@gatehouse/shared/config';
import { runInBackground } from '@gatehouse/shared/durable/jobs';
import { createServer } from '@gatehouse/shared/http/server';
import { createSigner } from '@gatehouse/shared/identity/audit-chain/signer';
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
  const signer = createSigner({ db, config, now, log: app.log, metrics: app.metrics });
  // The only work in the background here: it must not run where the chain is written.
  runInBackground(app, { repairs: [], jobs: signer ? [signer] : [] });
  return app;
}
