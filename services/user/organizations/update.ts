import { orNotFound } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { membershipOf } from '../access/membership.ts';
import { organizationRecord } from './contract.ts';
import { name } from './names.ts';
import { operation } from './operation.ts';

export const updateOrganization = operation('PATCH /api/v1/organizations/{organization_id}', {
  needs: 'ownership',
  summary: 'Rename an organization',
  description: 'Its id does not change. Its name must not contain a link or an invisible character.',
  body: jsonBody({ name }).meta({ examples: [{ name: 'Difference Engines' }] }),
  returns: organizationRecord,
  audits: ['organization.update'],
  async handle({ db, audit, params: { organization_id }, body: { name }, request }) {
    const before = orNotFound(
      await db.organizations.findOneAndUpdate(
        { organization_id, 'owners.user_id': membershipOf(request).caller },
        { $set: { name } },
        { returnDocument: 'before' },
      ),
    );
    await audit('organization.update', { before: { name: before.name }, after: { name } });
    return { ...before, name };
  },
});
