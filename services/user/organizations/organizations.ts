import { listAudit } from './audit.ts';
import { createOrganization } from './create.ts';
import { analytics } from './departments/analytics.ts';
import { changePlan, getBilling } from './departments/billing.ts';
import { billingHistory } from './departments/billing-history.ts';
import { createDepartment } from './departments/create.ts';
import { getDepartment } from './departments/get.ts';
import { listDepartments } from './departments/list.ts';
import { reportPayment } from './departments/report-payment.ts';
import { updateDepartment } from './departments/update.ts';
import { dataExports } from './exports/exports.ts';
import { getOrganization } from './get.ts';
import { acceptInvitation } from './invitations/accept.ts';
import { createInvitation } from './invitations/create.ts';
import { declineInvitation } from './invitations/decline.ts';
import { listInvitations } from './invitations/list.ts';
import { listReceivedInvitations } from './invitations/list-received.ts';
import { resendInvitation } from './invitations/resend.ts';
import { withdrawInvitation } from './invitations/withdraw.ts';
import { listOrganizations } from './list.ts';
import { listOwners } from './owners/list.ts';
import { listOffers } from './owners/list-offers.ts';
import { offerOwnership } from './owners/offer.ts';
import { removeOwner } from './owners/remove.ts';
import { resendOffer } from './owners/resend-offer.ts';
import { withdrawOffer } from './owners/withdraw-offer.ts';
import { getMember } from './people/get-member.ts';
import { getPerson } from './people/get-person.ts';
import { listMembers } from './people/list-members.ts';
import { listPeople } from './people/list-people.ts';
import { removeMember } from './people/remove-member.ts';
import { removePerson } from './people/remove-person.ts';
import { setMember } from './people/set-member.ts';
import { reports } from './reports/report.ts';
import { requireSecondFactor } from './require-second-factor.ts';
import { updateOrganization } from './update.ts';

/** The operations under /api/v1/organizations and /api/v1/invitations. */
export const organizations = [
  createOrganization,
  listOrganizations,
  getOrganization,
  updateOrganization,
  requireSecondFactor,
  removePerson,
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
  analytics,
  getBilling,
  changePlan,
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
  ...dataExports,
  ...reports,
];
