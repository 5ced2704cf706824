import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import { auditCollections } from '@gatehouse/shared/identity/audit';
import { refusalCollections } from '@gatehouse/shared/identity/audit-refusal';
import { machineKeyCollections } from '@gatehouse/shared/identity/machine-keys/records';
import { operatorCollections } from '@gatehouse/shared/identity/operators';
import { ssoDomainCollections } from '@gatehouse/shared/identity/sso';
import { userCollections } from '@gatehouse/shared/identity/users';
import { captchaCollections } from './captcha/redemptions.ts';
import { idempotencyCollections } from './proxy/idempotency-keys.ts';

/** The collections that the gateway reads and writes. */
export const COLLECTIONS = {
  ...userCollections,
  ...operatorCollections,
  ...machineKeyCollections,
  ...ssoDomainCollections,
  ...auditCollections,
  ...refusalCollections,
  ...captchaCollections,
  ...idempotencyCollections,
};

export type Database = DatabaseConnection<typeof COLLECTIONS>;
