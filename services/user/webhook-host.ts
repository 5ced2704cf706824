import { principalOf } from '@gatehouse/shared/identity/principal';
import type { WebhookHost } from '@gatehouse/webhooks/host';
import { administeredBy, administeredTenant, assertAdministers } from './access/administration.ts';
import { closedAmong } from './access/archived.ts';
import { callerRoles } from './access/caller-roles.ts';
import { belongingsOf } from './access/departures/former-members.ts';
import { ownersOf } from './access/owners-of.ts';
import { planOf, QUOTAS, quotaExceeded } from './access/quotas.ts';
import type { Database } from './database.ts';

/** Answers what webhooks ask about accounts, organizations and chatbots. */
export const createWebhookHost = (db: Database, mailer: WebhookHost['mailer']): WebhookHost => ({
  mailer,
  closedAmong: (tenants) => closedAmong(db, tenants),
  administeredBy: (request, named) => administeredBy(db, request, named),
  administeredTenant: (request, ids) => administeredTenant(db, request, ids),
  assertAdministers: (request, tenant) => assertAdministers(db, request, tenant),
  closedTo: async (request) => (await callerRoles(db, request)).closed,
  ownersOf: (tenant, limit) => ownersOf(db, tenant, limit),
  belongingsOf: (user_ids) => belongingsOf(db, user_ids),

  async namesOf({ organization_id, department_id }) {
    const named = { projection: { _id: 0, name: 1 } };
    const [organization, department] = await Promise.all([
      organization_id === null ? null : db.organizations.findOne({ organization_id }, named),
      department_id === null ? null : db.departments.findOne({ department_id }, named),
    ]);
    return { organization: organization?.name ?? null, department: department?.name ?? null };
  },

  async webhookLimit(request, tenant) {
    const plan = await planOf(db, tenant, principalOf(request).user);
    const { organization_id, department_id } = tenant;
    const holder =
      organization_id === null ? 'An account' : department_id === null ? 'An organization' : 'A department';
    return {
      limit: QUOTAS[plan].webhooks,
      exceeded: () => quotaExceeded('webhooks', plan, holder),
    };
  },

  async tenantsOf({ departments, chatbots }) {
    const projection = { _id: 0, chatbot_id: 1, organization_id: 1, department_id: 1 } as const;
    const [storedDepartments, storedChatbots] = await Promise.all([
      departments.length === 0
        ? []
        : db.departments.find({ department_id: { $in: departments } }, { projection }).toArray(),
      chatbots.length === 0
        ? []
        : db.chatbots.find({ chatbot_id: { $in: chatbots } }, { projection }).toArray(),
    ]);
    return {
      departments: new Map(storedDepartments.map((each) => [each.department_id, each])),
      chatbots: new Map(storedChatbots.map(({ chatbot_id, ...tenant }) => [chatbot_id, tenant])),
    };
  },
});
