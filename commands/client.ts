import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { PERMISSIONS, rolesWith } from '@gatehouse/shared/access/rbac';
import { loadConfig, type Service } from '@gatehouse/shared/config';
import { connect } from '@gatehouse/shared/data/connect';
import { ERRORS, EXAMPLE_DETAILS } from '@gatehouse/shared/http/errors';
import type { FastifyInstance } from 'fastify';
import { startMongoServer } from 'minimongod';
import { errorsSource } from '../packages/client/generate/errors.ts';
import { permissionsSource } from '../packages/client/generate/permissions.ts';
import { schemaSource } from '../packages/client/generate/schema.ts';
import { buildGateway } from '../services/gateway/app.ts';
import { COLLECTIONS as GATEWAY_COLLECTIONS } from '../services/gateway/database.ts';
import { buildLoginService } from '../services/login/app.ts';
import { buildUserService } from '../services/user/app.ts';
import { COLLECTIONS } from '../services/user/database.ts';
import { createMailer } from '../services/user/mail/mailer.ts';

/**
 * `npm run client` writes the generated files of `packages/client`: the types of every call from the OpenAPI document of
 * the gateway, and the tables of errors and permissions. It asks services that it runs itself, on an empty database in memory.
 */

/** Every optional operation is on. */
const SETTINGS = {
  JWT_SECRET: 'signs nothing: nobody logs in here, and it is long enough',
  CAPTCHA_PROVIDER: 'none',
  LOGIN_BY_CODE: 'on',
  LOG_LEVEL: 'silent',
};

const configOf = <S extends Service>(service: S, settings: NodeJS.ProcessEnv = {}) =>
  loadConfig(service, { ...SETTINGS, ...settings }).config;

async function listen(app: FastifyInstance): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 });
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
}

const mongod = await startMongoServer({ data: ':memory:', port: 0 });
const db = await connect(
  `${mongod.uri}/client`,
  { ...COLLECTIONS, ...GATEWAY_COLLECTIONS },
  { appName: 'client' },
);
const mailer = createMailer(configOf('user'));
const user = await buildUserService({ config: configOf('user'), db, mailer });
const login = await buildLoginService({ config: configOf('login'), db });
const services = { LOGIN_SERVICE_URL: await listen(login), USER_SERVICE_URL: await listen(user) };
const gateway = await buildGateway({ config: configOf('gateway', services), db });
const document = await (await fetch(`${await listen(gateway)}/openapi.json`)).json();

const source = new URL('../packages/client/src/', import.meta.url);
await writeFile(new URL('schema.ts', source), await schemaSource(document));
await writeFile(new URL('errors.ts', source), errorsSource({ errors: ERRORS, details: EXAMPLE_DETAILS }));
const permissions = PERMISSIONS.map((permission) => [permission, rolesWith(permission)] as const);
await writeFile(new URL('permissions.ts', source), permissionsSource(permissions));

await Promise.all([gateway.close(), login.close(), user.close()]);
mailer.close();
await db.close();
await mongod.close();
