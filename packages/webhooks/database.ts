import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import type { budgetCollections } from '@gatehouse/shared/data/sliding-budget';
import type { auditCollections } from '@gatehouse/shared/identity/audit';
import type { userCollections } from '@gatehouse/shared/identity/users';
import type { webhookCollections } from './records.ts';

/** The collections that the package reads or writes. */
export type Database = DatabaseConnection<
  typeof webhookCollections & typeof userCollections & typeof auditCollections & typeof budgetCollections
>;
