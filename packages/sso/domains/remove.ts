import { orNotFound } from '@gatehouse/shared/http/errors';
import { message } from '@gatehouse/shared/operation/responses';
import { operation } from '../dependencies.ts';
import { ownedDomain } from './contract.ts';

/** CONTRACT.md §Domains. */
export const removeDomain = operation('DELETE /api/v1/sso/domains/{domain_id}', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Remove a domain',
  description:
    'Accounts with addresses in the domain stay, but single sign-on no longer opens them; their owners can set a password with a reset. Another organization may verify the domain.',
  returns: message('Domain removed', 'The domain is removed'),
  audits: ['domain.remove'],
  async handle({ db, host, audit, params, request }) {
    const { domain_id, organization_id } = await ownedDomain({ db, host }, request, params.domain_id);
    const { domain, sso_required } = orNotFound(await db.ssoDomains.findOneAndDelete({ domain_id }));
    await audit('domain.remove', {
      target: { domain_id },
      before: { domain, sso_required: String(sso_required) },
      organization_id,
    });
  },
});
