import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import type { auditCollections } from '@gatehouse/shared/identity/audit';
import type { refusalCollections } from '@gatehouse/shared/identity/audit-refusal';
import type { userCollections } from '@gatehouse/shared/identity/users';
import type { ssoCollections } from './records.ts';

/** The collections that the package reads or writes. */
export type Database = DatabaseConnection<
  typeof ssoCollections & typeof userCollections & typeof auditCollections & typeof refusalCollections
>;
