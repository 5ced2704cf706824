import type { DatabaseConnection } from '@gatehouse/shared/data/connect';
import { budgetCollections } from '@gatehouse/shared/data/sliding-budget';
import { auditCollections } from '@gatehouse/shared/identity/audit';
import { chainCollections } from '@gatehouse/shared/identity/audit-chain/records';
import { refusalCollections } from '@gatehouse/shared/identity/audit-refusal';
import { featureCollections } from '@gatehouse/shared/identity/features';
import { machineKeyCollections } from '@gatehouse/shared/identity/machine-keys/records';
import { operatorCollections } from '@gatehouse/shared/identity/operators';
import { userCollections } from '@gatehouse/shared/identity/users';
import { loginNameCollections } from '@gatehouse/shared/identity/ways-in';
import { passkeyCollections } from '@gatehouse/shared/passkeys/records';
import { ssoCollections } from '@gatehouse/sso/records';
import { webhookCollections } from '@gatehouse/webhooks/records';
import { accessCollections } from './access/records.ts';
import { deletionCollections } from './account/deletion/records.ts';
import { loginCodeCollections } from './account/login-code/records.ts';
import { pictureCollections } from './account/pictures/records.ts';
import { approvalCollections } from './admin/approvals/records.ts';
import { figureCollections } from './admin/figures/records.ts';
import { jobRunCollections } from './admin/jobs/records.ts';
import { supportCollections } from './admin/support-sessions/records.ts';
import { chatbotCollections } from './chatbots/records.ts';
import { retiredAddressCollections } from './legacy/retired-addresses.ts';
import { claimCollections } from './operators/first-operator.ts';
import { exportCollections } from './organizations/exports/records.ts';
import { organizationCollections } from './organizations/records.ts';

/** The collections of the user service. */
export const COLLECTIONS = {
  ...userCollections,
  ...operatorCollections,
  ...claimCollections,
  ...featureCollections,
  ...auditCollections,
  ...chainCollections,
  ...refusalCollections,
  ...budgetCollections,
  ...loginNameCollections,
  ...passkeyCollections,
  ...machineKeyCollections,
  ...deletionCollections,
  ...retiredAddressCollections,
  ...loginCodeCollections,
  ...pictureCollections,
  ...approvalCollections,
  ...figureCollections,
  ...jobRunCollections,
  ...supportCollections,
  ...chatbotCollections,
  ...accessCollections,
  ...organizationCollections,
  ...exportCollections,
  ...ssoCollections,
  ...webhookCollections,
};

export type Database = DatabaseConnection<typeof COLLECTIONS>;
