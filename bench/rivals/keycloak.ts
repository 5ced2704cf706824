import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postForm, postJson } from '../../test/fixtures/http.ts';
import { freePorts } from '../../test/fixtures/launcher.ts';
import { ACCOUNT, expectOk, type Server, startProcess } from './server.ts';

/** An administrator of the database that is used, and a realm for each run, because the database may outlive it. */
const ADMIN = { username: 'bench', password: 'an administrator of the bench' };
const REALM = `bench-${randomBytes(4).toString('hex')}`;
const CLIENT = 'bench';

/** Keycloak in production mode. It has no API that signs up and verifies by a code. */
export async function startKeycloak(): Promise<Server> {
  const { KEYCLOAK = '' } = process.env;
  const command = join(KEYCLOAK, 'bin/kc.sh');
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-rival-'));
  const { vendor, ...database } = databaseOptions(folder);
  execFileSync(command, ['build', `--db=${vendor}`], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const { stop } = await startProcess(command, ['start', '--optimized'], {
    ready: `${url}/realms/master`,
    env: {
      ...database,
      KC_HTTP_ENABLED: 'true',
      KC_HTTP_HOST: '127.0.0.1',
      KC_HTTP_PORT: String(port),
      KC_HOSTNAME_STRICT: 'false',
      KC_CACHE: 'local',
      KC_LOG_LEVEL: 'warn',
      KC_BOOTSTRAP_ADMIN_USERNAME: ADMIN.username,
      KC_BOOTSTRAP_ADMIN_PASSWORD: ADMIN.password,
      JAVA_OPTS_KC_HEAP: '-Xms1g -Xmx1g',
    },
  });
  const master = { ...ADMIN, grant_type: 'password', client_id: 'admin-cli' };
  const { body: admin } = await expectOk(
    postForm(`${url}/realms/master/protocol/openid-connect/token`, master),
  );
  await expectOk(postJson(`${url}/admin/realms`, realm, { authorization: `Bearer ${admin.access_token}` }));
  const oidc = `${url}/realms/${REALM}/protocol/openid-connect`;
  const login = () =>
    expectOk(
      postForm(`${oidc}/token`, {
        grant_type: 'password',
        client_id: CLIENT,
        scope: 'openid',
        username: ACCOUNT.email,
        password: ACCOUNT.password,
      }),
    );
  const { body: tokens } = await login();
  return {
    login,
    profile: [`${oidc}/userinfo`, { headers: { authorization: `Bearer ${tokens.access_token}` } }],
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL when `KEYCLOAK_DATABASE_URL` names one; otherwise Keycloak's own database, in `folder`. */
function databaseOptions(folder: string) {
  const { KEYCLOAK_DATABASE_URL } = process.env;
  if (!KEYCLOAK_DATABASE_URL) {
    return { vendor: 'dev-file', KC_DB_URL: `jdbc:h2:file:${folder}/keycloakdb;NON_KEYWORDS=VALUE` };
  }
  const { host, pathname, username, password } = new URL(KEYCLOAK_DATABASE_URL);
  return {
    vendor: 'postgres',
    KC_DB_URL: `jdbc:postgresql://${host}${pathname}`,
    KC_DB_USERNAME: decodeURIComponent(username),
    KC_DB_PASSWORD: decodeURIComponent(password),
  };
}

const realm = {
  realm: REALM,
  enabled: true,
  /** Seconds. The token of the benchmark outlives it. */
  accessTokenLifespan: 3600,
  clients: [{ clientId: CLIENT, publicClient: true, directAccessGrantsEnabled: true }],
  users: [
    {
      username: ACCOUNT.email,
      email: ACCOUNT.email,
      emailVerified: true,
      firstName: 'Bench',
      lastName: 'Person',
      enabled: true,
      credentials: [{ type: 'password', value: ACCOUNT.password }],
    },
  ],
};
