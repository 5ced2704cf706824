import type { FastifyInstance } from 'fastify';
import { endSelfGrants } from '../access/end-self-grants.ts';
import { removeLeavingMarks } from '../access/last-owner.ts';
import { requireMembership } from '../access/membership.ts';
import type { Database } from '../database.ts';
import type { Mailer } from '../mail.ts';
import { archiveDepartment } from './archive/archive-department.ts';
import { archiveOrganization } from './archive/archive-organization.ts';
import { restoreDepartment } from './archive/restore-department.ts';
import { restoreOrganization } from './archive/restore-organization.ts';
import { listAudit } from './audit.ts';
import { createOrganization } from './create.ts';
import { analytics } from './departments/analytics.ts';
import { billing } from './departments/billing.ts';
import { billingHistory } from './departments/billing-history.ts';
import { createDepartment } from './departments/create.ts';
import { getDepartment } from './departments/get.ts';
import { listDepartments } from './departments/list.ts';
import { reportPayment } from './departments/report-payment.ts';
import { updateDepartment } from './departments/update.ts';
import { dataExports } from './exports/exports.ts';
import type { ExportTuning } from './exports/worker.ts';
import { getOrganization } from './get.ts';
import { acceptAllInvitations } from './invitations/accept.ts';
import { createInvitation } from './invitations/create.ts';
import { listInvitations } from './invitations/list.ts';
import { withdrawInvitation } from './invitations/withdraw.ts';
import { listOrganizations } from './list.ts';
import { getMember } from './members/get.ts';
import { leaveOrganization } from './members/leave.ts';
import { listMembers } from './members/list.ts';
import { removeMember } from './members/remove.ts';
import { setMember } from './members/set.ts';
import { addOwner } from './owners/add.ts';
import { listOwners } from './owners/list.ts';
import { removeOwner } from './owners/remove.ts';
import { getPerson } from './people/get.ts';
import { listPeople } from './people/list.ts';
import { report } from './reports/report.ts';
import { updateOrganization } from './update.ts';

interface Options {
  config: { PUBLIC_URL: string; INTERNAL_API_KEY?: string | undefined };
  db: Database;
  mailer: Mailer;
  now: () => number;
  /** Runs the jobs of archived places now. */
  wakeClosing: () => void;
  exportTuning: ExportTuning;
}

/** The routes under /api/v1/organizations; register behind `requirePrincipal`. */
export async function organizations(app: FastifyInstance, options: Options): Promise<void> {
  await app.register(requireMembership, options);
  const operations: ((app: FastifyInstance, options: Options) => Promise<void>)[] = [
    createOrganization,
    listOrganizations,
    getOrganization,
    updateOrganization,
    archiveOrganization,
    restoreOrganization,
    leaveOrganization,
    listAudit,
    listOwners,
    addOwner,
    removeOwner,
    createDepartment,
    listDepartments,
    getDepartment,
    updateDepartment,
    archiveDepartment,
    restoreDepartment,
    analytics,
    billing,
    billingHistory,
    reportPayment,
    listPeople,
    getPerson,
    listMembers,
    getMember,
    setMember,
    removeMember,
    createInvitation,
    listInvitations,
    withdrawInvitation,
    dataExports,
    report,
  ];
  for (const operation of operations) await app.register(operation, options);
  app.addHook('onReady', async () => void (await removeLeavingMarks(options.db)));
  app.addHook('onReady', () => acceptAllInvitations(options.db, options.now()));
  app.addHook('onReady', () => endSelfGrants(options.db, {}));
}
