import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import { auditCollections } from '@gatehouse/shared/identity/audit';
import { refusalCollections } from '@gatehouse/shared/identity/audit-refusal';
import { operatorCollections } from '@gatehouse/shared/identity/operators';
import { userCollections } from '@gatehouse/shared/identity/users';
import { captchaCollections } from './captcha/redemptions.ts';
import { idempotencyCollections } from './proxy/idempotency-keys.ts';

/** The collections that the gateway reads and writes. */
export const COLLECTIONS = {
  ...userCollections,
  ...operatorCollections,
  ...auditCollections,
  ...refusalCollections,
  ...captchaCollections,
  ...idempotencyCollections,
};

export type Database = DatabaseConnection<typeof COLLECTIONS>;
