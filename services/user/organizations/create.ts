import { randomUUIDv7 } from 'node:crypto';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody } from '@gatehouse/shared/http/fields';
import { organizationRecord } from './contract.ts';
import { name } from './names.ts';
import { operation } from './operation.ts';
import { MAX_OWNED } from './records.ts';

export const createOrganization = operation('POST /api/v1/organizations', {
  needs: 'own',
  summary: 'Create an organization',
  description: `The caller is its first Owner. It starts without departments. Its name must not contain a link or an invisible character. Callers who own ${MAX_OWNED} organizations cannot create another.`,
  body: jsonBody({ name }).meta({ examples: [{ name: 'Analytical Engines' }] }),
  returns: { 201: organizationRecord },
  audits: ['owner.add'],
  async handle({ db, now, caller, audit, body }) {
    const owned = await db.organizations.countDocuments({ 'owners.user_id': caller }, { limit: MAX_OWNED });
    if (owned >= MAX_OWNED)
      throw new AppError('forbidden', {
        text: `An account creates organizations until it owns ${MAX_OWNED}`,
      });
    const at = new Date(now()).toISOString();
    const organization = { organization_id: randomUUIDv7(), name: body.name, created_at: at };
    const owners = [{ user_id: caller, granted_by: caller, granted_at: at }];
    await db.organizations.insertOne({ ...organization, owners });
    const { organization_id } = organization;
    await audit('owner.add', { target: { user_id: caller }, after: { role: 'Owner' }, organization_id });
    return organization;
  },
});
