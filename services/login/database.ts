import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import { budgetCollections } from '@gatehouse/shared/data/sliding-budget';
import { auditCollections } from '@gatehouse/shared/identity/audit';
import { chainCollections } from '@gatehouse/shared/identity/audit-chain/records';
import { refusalCollections } from '@gatehouse/shared/identity/audit-refusal';
import { featureCollections } from '@gatehouse/shared/identity/features';
import { machineKeyCollections } from '@gatehouse/shared/identity/machine-keys/records';
import { operatorCollections } from '@gatehouse/shared/identity/operators';
import { ssoDomainCollections } from '@gatehouse/shared/identity/sso';
import { userCollections } from '@gatehouse/shared/identity/users';
import { passkeyCollections } from '@gatehouse/shared/passkeys/records';

/** The collections that the login service reads and writes. */
export const COLLECTIONS = {
  ...userCollections,
  ...operatorCollections,
  ...passkeyCollections,
  ...machineKeyCollections,
  ...featureCollections,
  ...ssoDomainCollections,
  ...auditCollections,
  ...chainCollections,
  ...refusalCollections,
  ...budgetCollections,
};

export type Database = DatabaseConnection<typeof COLLECTIONS>;
