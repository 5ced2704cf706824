import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import type { Domain } from '@gatehouse/shared/identity/sso';
import { requirePlan } from '../connections/owned.ts';
import { operation } from '../dependencies.ts';
import { boundConnectionId, keepBound, requireOwnConnection } from './bound-connection.ts';
import { domainRecord, presentDomain } from './contract.ts';
import { domainName, normalizeDomain } from './domain-name.ts';

/** For one organization; concurrent calls may exceed it by a few. */
const MAX_DOMAINS = 100;

/** CONTRACT.md §Domains. */
export const addDomain = operation('POST /api/v1/sso/domains', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Add a domain',
  description: `Adds a domain of e-mail addresses to an organization and returns the DNS record that proves control of it. The domain has no effect until it is verified. Subdomains are domains of their own. An organization may have up to ${MAX_DOMAINS} domains.`,
  body: jsonBody({
    organization_id: line(200),
    domain: domainName,
    connection_id: boundConnectionId,
  }).meta({
    examples: [{ organization_id: '01936f2e-02b1-7c1f-9a77-3f1d3c0e8b52', domain: 'corp.example' }],
  }),
  returns: { 201: domainRecord },
  fails: ['notFound', 'duplicate'],
  audits: ['domain.add'],
  async handle({ db, host, now, audit, body, request }) {
    const { organization_id, connection_id } = body;
    const domain = String(normalizeDomain(body.domain));
    await host.requireOwner(request, organization_id);
    await requirePlan({ host }, organization_id);
    await requireOwnConnection(db, organization_id, connection_id);
    if ((await db.ssoDomains.countDocuments({ organization_id })) >= MAX_DOMAINS)
      throw new AppError('forbidden', { text: `An organization may have at most ${MAX_DOMAINS} domains` });
    const added: Domain = {
      domain_id: randomUUIDv7(),
      organization_id,
      domain,
      token: randomBytes(16).toString('base64url'),
      sso_required: false,
      ...(connection_id && { connection_id }),
      created_at: new Date(now()),
    };
    try {
      await db.ssoDomains.insertOne({ ...added });
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new AppError('duplicate', { text: 'The organization has this domain already' });
    }
    await keepBound(db, organization_id, connection_id);
    await audit('domain.add', {
      target: { domain_id: added.domain_id },
      after: { domain, ...(connection_id && { connection_id }) },
      organization_id,
    });
    return presentDomain(added);
  },
});
