import { found } from '@gatehouse/shared/http/errors';
import { messageResponse } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { SsoOptions } from '../options.ts';
import { config, domainPath, operation, ownedDomain, refusals } from './contract.ts';

const REMOVED = { message: 'Domain removed' } as const;

const schema = {
  ...operation,
  summary: 'Remove a domain',
  description:
    'Accounts with addresses in the domain stay, but single sign-on no longer opens them; their owners can set a password with a reset. Another organization may verify the domain.',
  params: domainPath,
  response: { 200: messageResponse(REMOVED.message, 'The domain is removed'), ...refusals },
};

/** DELETE /api/v1/sso/domains/{domain_id} (CONTRACT.md §Domains). */
export const removeDomain: FastifyPluginAsyncZod<SsoOptions> = async (app, { db, now }) => {
  app.delete('/api/v1/sso/domains/:domain_id', { schema, config }, async (request) => {
    const { domain_id, organization_id } = await ownedDomain(db, request, request.params.domain_id);
    const { domain, sso_required } = found(await db.ssoDomains.findOneAndDelete({ domain_id }));
    await audit(db, request, now(), {
      action: 'domain.remove',
      target: { domain_id },
      before: { domain, sso_required: String(sso_required) },
      organization_id,
    });
    return REMOVED;
  });
};
