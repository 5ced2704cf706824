import { approvals } from './approvals/approvals.ts';
import { listAudit } from './audit/list.ts';
import { getAttention } from './figures/attention.ts';
import { getFigures } from './figures/get.ts';
import { listJobs } from './jobs/list.ts';
import { listOperators } from './operators/list.ts';
import { ownLevel } from './operators/me.ts';
import { removeOperator } from './operators/remove.ts';
import { setOperator } from './operators/set.ts';
import { organizations } from './organizations/organizations.ts';
import { endSupportSession } from './support-sessions/end.ts';
import { listSupportSessions } from './support-sessions/list.ts';
import { startSupportSession } from './support-sessions/start.ts';
import { listWebhooks } from './webhooks/list.ts';

/** The operations for operators. */
export const admin = [
  ownLevel,
  listOperators,
  setOperator,
  removeOperator,
  ...organizations,
  listAudit,
  listWebhooks,
  listJobs,
  getFigures,
  getAttention,
  ...approvals,
  startSupportSession,
  listSupportSessions,
  endSupportSession,
];
