import { orNotFound } from '@gatehouse/shared/http/errors';
import { expecting } from '@gatehouse/shared/http/fields';
import { z } from 'zod';
import type { Organization } from '../../organizations/records.ts';
import { operation } from '../operation.ts';
import { auditAdmin, withReason } from '../reason.ts';
import { organizationDetail } from './contract.ts';
import { detailOf } from './get.ts';

/** The work of a call grows with the departments of an organization. */
const MAX_DEPARTMENTS = 10_000;
const MAX_MEMBERS = 1_000_000;

const quota = (max: number) => {
  const error = `must be an integer from 1 to ${max}, or null`;
  return z.int(expecting(error)).min(1, { error }).max(max, { error }).nullable();
};

export const quotaFields = { departments: quota(MAX_DEPARTMENTS), members: quota(MAX_MEMBERS) };

export const setOrganizationQuotas = operation('PUT /api/v1/admin/organizations/{organization_id}/quotas', {
  needs: 'admin operator',
  byKey: true,
  fresh: true,
  summary: 'Set the quotas of an organization as an operator',
  description:
    'They replace those of the plan: `departments` of the organization, `members` of each of its departments. With null the plan decides again. Nobody is removed when a quota is lowered.',
  body: withReason(quotaFields, { departments: 150, members: null }),
  returns: organizationDetail,
  audits: ['admin.organization_quotas'],
  async handle(call) {
    const {
      db,
      params: { organization_id },
      body: { departments, members },
    } = call;
    const quotas = {
      ...(departments !== null && { departments }),
      ...(members !== null && { members }),
    };
    const before = orNotFound(
      await db.organizations.findOneAndUpdate(
        { organization_id },
        Object.keys(quotas).length > 0 ? { $set: { quotas } } : { $unset: { quotas: true } },
        { returnDocument: 'before' },
      ),
    );
    await auditAdmin(call, 'admin.organization_quotas', {
      before: audited(before.quotas),
      after: audited(quotas),
    });
    const { quotas: _, ...organization } = before;
    return detailOf(db, { ...organization, quotas });
  },
});

const audited = ({ departments, members }: Organization['quotas'] = {}) => ({
  departments: departments === undefined ? null : String(departments),
  members: members === undefined ? null : String(members),
});
