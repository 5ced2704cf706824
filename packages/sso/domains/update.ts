import { isDeepStrictEqual } from 'node:util';
import { ANY_STRING } from '@gatehouse/shared/data/connect';
import { AppError } from '@gatehouse/shared/http/errors';
import { expecting, jsonBody } from '@gatehouse/shared/http/fields';
import { type Domain, USABLE } from '@gatehouse/shared/identity/sso';
import { z } from 'zod';
import { requirePlan } from '../connections/owned.ts';
import type { SsoOptions } from '../dependencies.ts';
import { operation } from '../dependencies.ts';
import { boundConnectionId, keepBound, requireOwnConnection } from './bound-connection.ts';
import { domainRecord, ownedDomain, presentDomain } from './contract.ts';

/** CONTRACT.md §Domains. */
export const updateDomain = operation('PATCH /api/v1/sso/domains/{domain_id}', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Change a domain',
  description:
    '`connection_id` is the connection where people of the domain log in, if the organization has several. With `sso_required`, a login with the password of an address in the domain is refused with 403, except for Owners of the organization. This needs a verified domain and an enabled connection, the one of the domain if it is bound to one, and holds while that is enabled and the plan includes single sign-on.',
  body: jsonBody({
    sso_required: z.boolean(expecting('must be true or false')).exactOptional(),
    connection_id: boundConnectionId,
  })
    .refine((fields) => Object.keys(fields).length > 0, { error: 'must contain a field to change' })
    .meta({ examples: [{ sso_required: true }] }),
  returns: domainRecord,
  audits: ['domain.update'],
  async handle({ db, host, audit, params, body: { sso_required, connection_id }, request }) {
    const domain = await ownedDomain({ db, host }, request, params.domain_id);
    const { domain_id, organization_id } = domain;
    await requireOwnConnection(db, organization_id, connection_id);
    const bound = connection_id === undefined ? domain.connection_id : (connection_id ?? undefined);
    if (sso_required || (sso_required === undefined && domain.sso_required && connection_id))
      await requireWayIn({ db, host }, organization_id, bound);
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
      await audit('domain.update', { target: { domain_id }, before: was, after: is, organization_id });
    return presentDomain(after);
  },
});

const audited = ({ domain, sso_required, connection_id }: Domain) => ({
  domain,
  sso_required: String(sso_required),
  ...(connection_id !== undefined && { connection_id }),
});

/** Keeps Owners from locking everybody else out. */
async function requireWayIn(
  { db, host }: Pick<SsoOptions, 'db' | 'host'>,
  organization_id: string,
  bound: string | undefined,
): Promise<void> {
  await requirePlan({ host }, organization_id);
  const wayIn = { organization_id, ...USABLE, ...(bound !== undefined && { connection_id: bound }) };
  if (await db.ssoConnections.findOne(wayIn, { projection: { _id: 1 } })) return;
  const what =
    bound === undefined
      ? 'The organization has no enabled connection'
      : 'The connection of the domain is disabled';
  throw new AppError('forbidden', {
    text: `${what}: nobody could log in but its Owners`,
  });
}
