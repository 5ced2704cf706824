import { readFile } from 'node:fs/promises';
import { PERMISSIONS, rolesWith } from '@gatehouse/shared/access/rbac';
import { ERRORS, EXAMPLE_DETAILS } from '@gatehouse/shared/http/errors';
import { expect, test } from 'vitest';
import { errorsSource } from '../../packages/client/generate/errors.ts';
import { permissionsSource } from '../../packages/client/generate/permissions.ts';
import { schemaSource } from '../../packages/client/generate/schema.ts';
import { startGateway } from '../fixtures/gateway.ts';
import { startServices } from '../fixtures/services.ts';

test('the generated files of the client are what npm run client writes', async () => {
  const env = { LOGIN_BY_CODE: 'on' };
  const services = await startServices({ env });
  const gateway = await startGateway({
    env: { ...env, LOGIN_SERVICE_URL: services.login, USER_SERVICE_URL: services.user },
    limits: { document: 60_000 },
  });
  const document = await (await fetch(`${gateway.url}/openapi.json`)).json();
  await gateway.stop();
  await services.stop();
  const sources = {
    errors: errorsSource({ errors: ERRORS, details: EXAMPLE_DETAILS }),
    permissions: permissionsSource(PERMISSIONS.map((permission) => [permission, rolesWith(permission)])),
    schema: await schemaSource(document),
  };
  // The difference would fill a screen: only the names are compared.
  const stale = Object.entries(sources).map(async ([name, source]) =>
    (await readFile(`packages/client/src/${name}.ts`, 'utf8')) === source ? [] : [name],
  );
  expect((await Promise.all(stale)).flat()).toEqual([]);
});
