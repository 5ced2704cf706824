import { testConnection } from '../diagnosis/test-connection.ts';
import { createConnection } from './create.ts';
import { deleteConnection } from './delete.ts';
import { getConnection } from './get.ts';
import { listConnections } from './list.ts';
import { listIdentities } from './list-identities.ts';
import { rotateKey } from './rotate-key.ts';
import { issueScimToken, revokeScimToken } from './scim-token.ts';
import { unlinkIdentity } from './unlink-identity.ts';
import { updateConnection } from './update.ts';

export const connections = [
  createConnection,
  listConnections,
  getConnection,
  updateConnection,
  deleteConnection,
  testConnection,
  rotateKey,
  issueScimToken,
  revokeScimToken,
  listIdentities,
  unlinkIdentity,
];
