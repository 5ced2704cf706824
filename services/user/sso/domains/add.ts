import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, failures } from '@gatehouse/shared/http/errors';
import { jsonBody, line } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { Domain } from '@gatehouse/shared/identity/sso-domains';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requireOwner, requirePlan } from '../connections/owned.ts';
import type { SsoOptions } from '../options.ts';
import { boundConnectionId, keepBound, requireOwnConnection } from './bound-connection.ts';
import { bodyRefusals, config, domainRecord, operation, presentDomain } from './contract.ts';
import { domainName, normalizeDomain } from './domain-name.ts';

/** For one organization; concurrent calls may exceed it by a few. */
const MAX_DOMAINS = 100;

const schema = {
  ...operation,
  summary: 'Add a domain',
  description: `Adds a domain of e-mail addresses to an organization and returns the DNS record that proves control of it. The domain has no effect until it is verified. Subdomains are domains of their own. An organization may have up to ${MAX_DOMAINS} domains.`,
  body: jsonBody({
    organization_id: line(200),
    domain: domainName,
    connection_id: boundConnectionId,
  }).meta({
    examples: [{ organization_id: '01936f2e-02b1-7c1f-9a77-3f1d3c0e8b52', domain: 'corp.example' }],
  }),
  response: { 201: domainRecord, ...bodyRefusals, ...failures('catalogue', 'duplicate') },
};

/** POST /api/v1/sso/domains (CONTRACT.md §Domains). */
export const addDomain: FastifyPluginAsyncZod<SsoOptions> = async (app, { db, now }) => {
  app.post('/api/v1/sso/domains', { schema, config }, async (request, reply) => {
    const { organization_id, connection_id } = request.body;
    const domain = String(normalizeDomain(request.body.domain));
    await requireOwner(db, request, organization_id);
    await requirePlan({ db, now }, organization_id);
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
    await audit(db, request, now(), {
      action: 'domain.add',
      target: { domain_id: added.domain_id },
      after: { domain, ...(connection_id && { connection_id }) },
      organization_id,
    });
    return reply.code(201).send(presentDomain(added));
  });
};
