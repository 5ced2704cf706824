import { addOperations, type Operation } from '@gatehouse/shared/http/add-operations';
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
import { acceptInvitation } from './invitations/accept.ts';
import { completeActivations } from './invitations/accept-verified.ts';
import { createAfterResponse } from './invitations/after-response.ts';
import { createInvitation } from './invitations/create.ts';
import { declineInvitation } from './invitations/decline.ts';
import { listInvitations } from './invitations/list.ts';
import { listReceivedInvitations } from './invitations/list-received.ts';
import type { MailOptions } from './invitations/mail.ts';
import { resendInvitation } from './invitations/resend.ts';
import { datePendingInvitations } from './invitations/status.ts';
import { withdrawInvitation } from './invitations/withdraw.ts';
import { listOrganizations } from './list.ts';
import { getMember } from './members/get.ts';
import { leaveOrganization } from './members/leave.ts';
import { listMembers } from './members/list.ts';
import { removeMember } from './members/remove.ts';
import { setMember } from './members/set.ts';
import { listOwners } from './owners/list.ts';
import { listOffers } from './owners/list-offers.ts';
import { offerOwnership } from './owners/offer.ts';
import { removeOwner } from './owners/remove.ts';
import { resendOffer } from './owners/resend-offer.ts';
import { withdrawOffer } from './owners/withdraw-offer.ts';
import { startPaymentNotices } from './payment-notices/start.ts';
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

/** The routes under /api/v1/organizations and /api/v1/invitations; register behind `requirePrincipal`. */
export async function organizations(app: FastifyInstance, options: Options): Promise<void> {
  await app.register(requireMembership, options);
  const operations: Operation<Options & MailOptions & { wakePaymentNotices: () => void }>[] = [
    createOrganization,
    listOrganizations,
    getOrganization,
    updateOrganization,
    archiveOrganization,
    restoreOrganization,
    leaveOrganization,
    listAudit,
    listOwners,
    offerOwnership,
    removeOwner,
    listOffers,
    withdrawOffer,
    resendOffer,
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
    resendInvitation,
    listReceivedInvitations,
    acceptInvitation,
    declineInvitation,
    dataExports,
    report,
  ];
  const afterResponse = createAfterResponse(app);
  await addOperations(app, operations, {
    ...options,
    afterResponse,
    wakePaymentNotices: startPaymentNotices(app, options),
  });
  app.addHook('onReady', async () => void (await removeLeavingMarks(options.db)));
  app.addHook('onReady', async () => void (await datePendingInvitations(options.db)));
  app.addHook('onReady', () => completeActivations(options.db, options.now()));
  app.addHook('onReady', () => endSelfGrants(options.db, {}));
}
