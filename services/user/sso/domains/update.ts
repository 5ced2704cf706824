import { isDeepStrictEqual } from 'node:util';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { audit } from '@gatehouse/shared/identity/audit';
import type { Domain } from '@gatehouse/shared/identity/sso-domains';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Database } from '../../database.ts';
import { requirePlan } from '../connections/owned.ts';
import type { SsoOptions } from '../options.ts';
import { boundConnectionId, keepBound, requireOwnConnection } from './bound-connection.ts';
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
  summary: 'Change a domain',
  description:
    '`connection_id` is the connection where people of the domain log in, if the organization has several. With `sso_required`, a login with the password of an address in the domain is refused with 403, except for Owners of the organization. This needs a verified domain and an enabled connection.',
  params: domainPath,
  body: jsonBody({
    sso_required: z.boolean(expecting('must be true or false')).exactOptional(),
    connection_id: boundConnectionId,
  })
    .refine((fields) => Object.keys(fields).length > 0, { error: 'must contain a field to change' })
    .meta({ examples: [{ sso_required: true }] }),
  response: { 200: domainRecord, ...bodyRefusals },
};

/** PATCH /api/v1/sso/domains/{domain_id} (CONTRACT.md §Domains). */
export const updateDomain: FastifyPluginAsyncZod<SsoOptions> = async (app, { db, now }) => {
  app.patch('/api/v1/sso/domains/:domain_id', { schema, config }, async (request) => {
    const { sso_required, connection_id } = request.body;
    const { domain_id, organization_id } = await ownedDomain(db, request, request.params.domain_id);
    if (sso_required) await requireWayIn(db, organization_id);
    await requireOwnConnection(db, organization_id, connection_id);
    const $set = {
      ...(sso_required !== undefined && { sso_required }),
      ...(connection_id && { connection_id }),
    };
    const before = await db.ssoDomains.findOneAndUpdate(
      { domain_id, ...(sso_required && { verified_domain: ANY_STRING }) },
      {
        ...(Object.keys($set).length > 0 && { $set }),
        ...(connection_id === null && { $unset: { connection_id: true } }),
      },
      { returnDocument: 'before' },
    );
    if (!before) throw new AppError('forbidden', { text: 'The domain is not verified' });
    await keepBound(db, organization_id, connection_id);
    const after: Domain = { ...before, ...$set };
    if (connection_id === null) delete after.connection_id;
    const [was, is] = [audited(before), audited(after)];
    if (!isDeepStrictEqual(was, is))
      await audit(db, request, now(), {
        action: 'domain.update',
        target: { domain_id },
        before: was,
        after: is,
        organization_id,
      });
    return presentDomain(after);
  });
};

const audited = ({ domain, sso_required, connection_id }: Domain) => ({
  domain,
  sso_required: String(sso_required),
  ...(connection_id !== undefined && { connection_id }),
});

/** Keeps Owners from locking everybody else out. */
async function requireWayIn(db: Database, organization_id: string): Promise<void> {
  await requirePlan(db, organization_id);
  const connection = { organization_id, enabled: true, deleted_at: { $exists: false } };
  if (await db.ssoConnections.findOne(connection, { projection: { _id: 1 } })) return;
  throw new AppError('forbidden', {
    text: 'The organization has no enabled connection: nobody could log in but its Owners',
  });
}
