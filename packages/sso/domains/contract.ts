import { orNotFound } from '@gatehouse/shared/http/errors';
import type { Domain } from '@gatehouse/shared/identity/sso';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { SsoOptions } from '../dependencies.ts';

/** The TXT record that proves control of a domain. */
export const recordOf = ({ domain, token }: Pick<Domain, 'domain' | 'token'>) => ({
  type: 'TXT' as const,
  name: `_gatehouse.${domain}`,
  value: `gatehouse-verification=${token}`,
});

const dateTime = z.string().meta({ format: 'date-time' });

export const domainRecord = z
  .object({
    domain_id: z.string(),
    organization_id: z.string(),
    domain: z.string(),
    verified: z.boolean(),
    verified_at: dateTime.nullable(),
    sso_required: z.boolean().meta({
      description:
        'Whether addresses of the domain log in by single sign-on only. It holds while a connection is enabled and the plan includes single sign-on.',
    }),
    connection_id: z.string().nullable().meta({
      description: 'The connection where its people log in; null for the oldest that is enabled',
    }),
    record: z
      .object({ type: z.literal('TXT'), name: z.string(), value: z.string() })
      .meta({ description: 'The DNS record that proves control of the domain' }),
    created_at: dateTime,
  })
  .meta({
    description: 'The domain',
    examples: [
      {
        domain_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
        organization_id: '01936f2e-02b1-7c1f-9a77-3f1d3c0e8b52',
        domain: 'corp.example',
        verified: false,
        verified_at: null,
        sso_required: false,
        connection_id: null,
        record: {
          type: 'TXT',
          name: '_gatehouse.corp.example',
          value: 'gatehouse-verification=6bC0mZsYw1oVqk2nJt4xRg',
        },
        created_at: '2026-01-15T09:30:00.000Z',
      },
    ],
  });

export const presentDomain = (domain: Domain): z.infer<typeof domainRecord> => ({
  domain_id: domain.domain_id,
  organization_id: domain.organization_id,
  domain: domain.domain,
  verified: domain.verified_domain !== undefined,
  verified_at: domain.verified_at?.toISOString() ?? null,
  sso_required: domain.sso_required,
  connection_id: domain.connection_id ?? null,
  record: recordOf(domain),
  created_at: domain.created_at.toISOString(),
});

/**
 * Returns a domain of an organization that the caller owns.
 * @throws {AppError} notFound if they have no role in it, forbidden if they are not an Owner.
 */
export async function ownedDomain(
  { db, host }: Pick<SsoOptions, 'db' | 'host'>,
  request: FastifyRequest,
  domain_id: string,
): Promise<Domain> {
  const domain = orNotFound(await db.ssoDomains.findOne({ domain_id }));
  await host.requireOwner(request, domain.organization_id);
  return domain;
}
