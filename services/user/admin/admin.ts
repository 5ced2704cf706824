import { approvals } from './approvals/approvals.ts';
import { listAudit } from './audit/list.ts';
import { getAttention } from './figures/attention.ts';
import { getFigures } from './figures/get.ts';
import { listJobs } from './jobs/list.ts';
import { deleteAnyKey } from './keys/delete.ts';
import { listAllKeys } from './keys/list.ts';
import { listOperators } from './operators/list.ts';
import { ownLevel } from './operators/me.ts';
import { removeOperator } from './operators/remove.ts';
import { setOperator } from './operators/set.ts';
import { organizations } from './organizations/organizations.ts';
import { listPersonAudit } from './people/audit.ts';
import { deletePerson } from './people/delete.ts';
import { disablePerson } from './people/disable.ts';
import { enablePerson } from './people/enable.ts';
import { endPersonSession } from './people/end-session.ts';
import { endPersonSessions } from './people/end-sessions.ts';
import { getPerson } from './people/get.ts';
import { listPeople } from './people/list.ts';
import { diagnoseLogin } from './people/login-diagnosis.ts';
import { setPersonPlan } from './people/plan.ts';
import { resetPersonFactor } from './people/reset-factor.ts';
import { restorePerson } from './people/restore.ts';
import { verifyPerson } from './people/verify.ts';
import { checkSettings } from './settings-check.ts';
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
  checkSettings,
  getFigures,
  getAttention,
  ...approvals,
  startSupportSession,
  listSupportSessions,
  endSupportSession,
  listAllKeys,
  deleteAnyKey,
  listPeople,
  getPerson,
  diagnoseLogin,
  listPersonAudit,
  disablePerson,
  enablePerson,
  verifyPerson,
  endPersonSessions,
  endPersonSession,
  resetPersonFactor,
  restorePerson,
  deletePerson,
  setPersonPlan,
];
