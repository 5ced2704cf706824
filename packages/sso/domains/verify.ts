import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { AppError, orNotFound } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { Domain } from '@gatehouse/shared/identity/sso';
import type { FastifyRequest } from 'fastify';
import { requirePlan } from '../connections/owned.ts';
import type { SsoOptions } from '../dependencies.ts';
import { operation } from '../dependencies.ts';
import { domainRecord, ownedDomain, presentDomain, recordOf } from './contract.ts';
import type { ResolveTxt } from './resolve-txt.ts';

/** CONTRACT.md §Domains. */
export const verifyDomain = operation('POST /api/v1/sso/domains/{domain_id}/verify', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Verify a domain',
  description:
    'Looks for the DNS record that proves control of the domain. One organization can have a verified domain: it loses the domain when another one proves control and its own record is gone. Outside production, domains under .test, .example and .localhost need no record.',
  returns: domainRecord,
  fails: ['duplicate'],
  audits: ['domain.verify', 'domain.update'],
  async handle({ config: settings, db, host, resolveTxt, now, audit, params, request }) {
    const domain = await ownedDomain({ db, host }, request, params.domain_id);
    if (domain.verified_domain !== undefined) return presentDomain(domain);
    const { domain_id, organization_id, domain: name } = domain;
    await requirePlan({ host }, organization_id);
    // These names cannot be registered (RFC 2606 §2, RFC 6761), and name servers do not know them.
    const isReserved = /\.(?:test|example|localhost)$/.test(name);
    const needsRecord = !isReserved || settings.NODE_ENV === 'production';
    const published = needsRecord ? await requireRecord(domain, resolveTxt) : undefined;
    const claim = () =>
      db.ssoDomains.findOneAndUpdate(
        { domain_id, verified_domain: { $exists: false } },
        { $set: { verified_domain: name, verified_at: new Date(now()) } },
        { returnDocument: 'after' },
      );
    const verified = await claim()
      .catch(async (error) => {
        if (!isDuplicateKey(error) || !published) throw error;
        await releaseLost({ db, now }, request, name, published);
        return claim();
      })
      .catch((error) => {
        if (!isDuplicateKey(error)) throw error;
        throw new AppError('duplicate', { text: `Another organization has verified ${name}` });
      });
    // A concurrent call has verified or removed it.
    if (!verified) return presentDomain(orNotFound(await db.ssoDomains.findOne({ domain_id })));
    await audit('domain.verify', { target: { domain_id }, after: { domain: name }, organization_id });
    return presentDomain(verified);
  },
});

/**
 * Ends the verification of an organization whose record is gone, once another organization has proved control. Domains
 * change hands: the former holder must neither open the accounts of their addresses nor keep the new one out.
 * @param published the values at the name of the record.
 */
async function releaseLost(
  { db, now }: Pick<SsoOptions, 'db' | 'now'>,
  request: FastifyRequest,
  name: string,
  published: readonly string[],
): Promise<void> {
  const holder = await db.ssoDomains.findOne({ verified_domain: name });
  if (!holder || published.includes(recordOf(holder).value)) return;
  const { domain_id, organization_id, sso_required } = holder;
  const { modifiedCount } = await db.ssoDomains.updateOne(
    { domain_id, verified_domain: name },
    { $set: { sso_required: false }, $unset: { verified_domain: true, verified_at: true } },
  );
  if (modifiedCount === 0) return;
  await audit(db, request, now(), {
    action: 'domain.update',
    // The holder does not learn who the caller is.
    user_id: null,
    email: null,
    target: { domain_id },
    before: { domain: name, verified: 'true', sso_required: String(sso_required) },
    after: { domain: name, verified: 'false', sso_required: 'false' },
    organization_id,
  });
}

/** The name exists without such a record, or does not exist. */
const NO_RECORD = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Requires the record of a domain. @returns all values at its name.
 * @throws {AppError} forbidden without the record, unavailable when no name server answers.
 */
async function requireRecord(domain: Domain, resolveTxt: ResolveTxt): Promise<string[]> {
  const { name, value } = recordOf(domain);
  const records = await resolveTxt(name).catch((cause: Error & { code?: string }) => {
    if (NO_RECORD.has(String(cause.code))) return [];
    throw new AppError('unavailable', {
      text: `The name servers of ${domain.domain} did not answer (${cause.code ?? 'error'}), please try again`,
      cause,
    });
  });
  const values = records.map((parts) => parts.join('').trim());
  if (values.includes(value)) return values;
  const others = records.length === 0 ? 'There is no TXT record' : 'No TXT record that is right';
  throw new AppError('forbidden', {
    text: `${others} at ${name}: add one with the value ${value}, and allow for the time that DNS takes`,
  });
}
