import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, failures, found } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { Domain } from '@gatehouse/shared/identity/sso-domains';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { requirePlan } from '../connections/owned.ts';
import type { SsoOptions } from '../options.ts';
import {
  config,
  domainPath,
  domainRecord,
  operation,
  ownedDomain,
  presentDomain,
  recordOf,
  refusals,
} from './contract.ts';
import type { ResolveTxt } from './resolve-txt.ts';

const schema = {
  ...operation,
  summary: 'Verify a domain',
  description:
    'Looks for the DNS record that proves control of the domain. One organization can have a verified domain. Outside production, domains under .test, .example and .localhost need no record.',
  params: domainPath,
  response: { 200: domainRecord, ...refusals, ...failures('catalogue', 'duplicate') },
};

/** POST /api/v1/sso/domains/{domain_id}/verify (CONTRACT.md §Domains). */
export const verifyDomain: FastifyPluginAsyncZod<SsoOptions> = async (
  app,
  { config: settings, db, resolveTxt, now },
) => {
  app.post('/api/v1/sso/domains/:domain_id/verify', { schema, config }, async (request) => {
    const domain = await ownedDomain(db, request, request.params.domain_id);
    if (domain.verified_domain !== undefined) return presentDomain(domain);
    const { domain_id, organization_id, domain: name } = domain;
    await requirePlan(db, organization_id);
    // Nobody can own these names (RFC 2606 §2, RFC 6761), and name servers do not know them.
    const isReserved = /\.(?:test|example|localhost)$/.test(name);
    if (!isReserved || settings.NODE_ENV === 'production') await requireRecord(domain, resolveTxt);
    try {
      const verified = await db.ssoDomains.findOneAndUpdate(
        { domain_id, verified_domain: { $exists: false } },
        { $set: { verified_domain: name, verified_at: new Date(now()) } },
        { returnDocument: 'after' },
      );
      // A concurrent call has verified or removed it.
      if (!verified) return presentDomain(found(await db.ssoDomains.findOne({ domain_id })));
      await audit(db, request, now(), {
        action: 'domain.verify',
        target: { domain_id },
        after: { domain: name },
        organization_id,
      });
      return presentDomain(verified);
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
      throw new AppError('duplicate', { text: `Another organization has verified ${name}` });
    }
  });
};

/** The name exists without such a record, or does not exist. */
const NO_RECORD = new Set(['ENODATA', 'ENOTFOUND']);

/** @throws {AppError} forbidden without the record, unavailable when no name server answers. */
async function requireRecord(domain: Domain, resolveTxt: ResolveTxt): Promise<void> {
  const { name, value } = recordOf(domain);
  const records = await resolveTxt(name).catch((cause: Error & { code?: string }) => {
    if (NO_RECORD.has(String(cause.code))) return [];
    throw new AppError('unavailable', {
      text: `The name servers of ${domain.domain} did not answer (${cause.code ?? 'error'}), please try again`,
      cause,
    });
  });
  if (records.some((parts) => parts.join('').trim() === value)) return;
  const others = records.length === 0 ? 'There is no TXT record' : 'No TXT record that is right';
  throw new AppError('forbidden', {
    text: `${others} at ${name}: add one with the value ${value}, and allow for the time that DNS takes`,
  });
}
