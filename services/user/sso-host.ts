import { AppError } from '@gatehouse/shared/http/errors';
import type { SsoHost } from '@gatehouse/sso/host';
import { isWrite, refuseArchived } from './access/archived.ts';
import { callerRoles, refuseUnenrolled } from './access/caller-roles.ts';
import { hasSsoPlan } from './access/sso-plan.ts';
import { notifyOwners } from './provisioning/notify-owners.ts';
import type { ProvisioningOptions } from './provisioning/options.ts';
import { provision } from './provisioning/provision.ts';

/** Answers what single sign-on asks about accounts and organizations. */
export const createSsoHost = (options: ProvisioningOptions): SsoHost => {
  const { db, mailer, now } = options;
  return {
    mailer,
    provision: (...login) => provision(options, ...login),
    reportGone: (...person) => notifyOwners(options, ...person, 'kept'),
    hasPlan: (organization_id) => hasSsoPlan(db, organization_id, now()),

    async requireOwner(request, organization_id) {
      const roles = await callerRoles(db, request);
      const { owned, departments, archived } = roles;
      refuseUnenrolled(roles, organization_id);
      if (!owned.has(organization_id)) {
        const hasRole = departments.some((department) => department.organization_id === organization_id);
        throw new AppError(hasRole ? 'forbidden' : 'notFound');
      }
      if (isWrite(request)) refuseArchived(archived.get(organization_id));
    },

    hasDepartment: async (organization_id, department_id) =>
      (await db.departments.findOne(
        { organization_id, department_id, deleting: { $exists: false } },
        { projection: { _id: 1 } },
      )) !== null,

    async ownersOf(organization_id, limit) {
      const organization = await db.organizations.findOne({ organization_id });
      return (
        organization && {
          name: organization.name,
          owners: organization.owners.slice(0, limit).map(({ user_id }) => user_id),
        }
      );
    },
  };
};
