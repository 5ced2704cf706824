import { addOperations } from '@gatehouse/shared/http/add-operations';
import type { FastifyInstance } from 'fastify';
import type { SsoOptions } from '../options.ts';
import { createConnection } from './create.ts';
import { deleteConnection } from './delete.ts';
import { getConnection } from './get.ts';
import { listConnections } from './list.ts';
import { listIdentities } from './list-identities.ts';
import { resealSecrets } from './reseal-secrets.ts';
import { rotateKey } from './rotate-key.ts';
import { scimToken } from './scim-token.ts';
import { testConnection } from './test-connection.ts';
import { unlinkIdentity } from './unlink-identity.ts';
import { updateConnection } from './update.ts';

/** The operations under /api/v1/sso/connections. Callers have passed `requirePrincipal`. */
export async function connections(app: FastifyInstance, options: SsoOptions): Promise<void> {
  const operations = [
    createConnection,
    listConnections,
    getConnection,
    updateConnection,
    deleteConnection,
    testConnection,
    rotateKey,
    scimToken,
    listIdentities,
    unlinkIdentity,
  ];
  await addOperations(app, operations, options);
  app.addHook('onReady', () => resealSecrets(options));
}
