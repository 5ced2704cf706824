import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { requirePlan } from '../connections/owned.ts';
import type { SsoOptions } from '../options.ts';
import {
  bodyRefusals,
  config,
  domainPath,
  domainRecord,
  operation,
  ownedDomain,
  presentDomain,
} from './contract.ts';

const schema = {
  ...operation,
  summary: 'Require single sign-on for a domain',
  description:
    'With `sso_required`, a login with the password of an address in the domain is refused with 403, except for Owners of the organization. This needs a verified domain and an enabled connection.',
  params: domainPath,
  body: jsonBody({ sso_required: z.boolean(expecting('must be true or false')) }).meta({
    examples: [{ sso_required: true }],
  }),
  response: { 200: domainRecord, ...bodyRefusals },
};

/** PATCH /api/v1/sso/domains/{domain_id} (CONTRACT.md §Domains). */
export const updateDomain: FastifyPluginAsyncZod<SsoOptions> = async (app, { db, now }) => {
  app.patch('/api/v1/sso/domains/:domain_id', { schema, config }, async (request) => {
    const { sso_required } = request.body;
    const { domain_id, organization_id } = await ownedDomain(db, request, request.params.domain_id);
    if (sso_required) await requireWayIn(db, organization_id);
    const before = await db.ssoDomains.findOneAndUpdate(
      { domain_id, ...(sso_required && { verified_domain: ANY_STRING }) },
      { $set: { sso_required } },
      { returnDocument: 'before' },
    );
    if (!before) throw new AppError('forbidden', { text: 'The domain is not verified' });
    if (before.sso_required !== sso_required)
      await audit(db, request, now(), {
        action: 'domain.update',
        target: { domain_id },
        before: { domain: before.domain, sso_required: String(before.sso_required) },
        after: { domain: before.domain, sso_required: String(sso_required) },
        organization_id,
      });
    return presentDomain({ ...before, sso_required });
  });
};

/** Keeps Owners from locking everybody else out. */
async function requireWayIn(db: Database, organization_id: string): Promise<void> {
  await requirePlan(db, organization_id);
  const connection = { organization_id, enabled: true, deleted_at: { $exists: false } };
  if (await db.ssoConnections.findOne(connection, { projection: { _id: 1 } })) return;
  throw new AppError('forbidden', {
    text: 'The organization has no enabled connection: nobody could log in but its Owners',
  });
}
