import { AppError } from '@gatehouse/shared/http/errors';
import { z } from 'zod';
import { type Connection, PROTOCOLS } from '../connection-records.ts';
import { addressesOf } from '../connections/addresses.ts';
import type { Database } from '../database.ts';
import { operation } from '../dependencies.ts';
import { normalizeDomain } from '../domains/domain-name.ts';

const MAX_LENGTH = 253;

/** CONTRACT.md §Single sign-on. */
export const discover = operation('GET /api/v1/auth/sso/discover', {
  needs: 'nothing',
  summary: 'Find where to log in',
  description:
    'Returns where the people of an organization log in, by the domain of their e-mail addresses, which the organization must have verified, or by the slug of a connection. With several connections it is the one that the domain is bound to, or else the oldest that is enabled. Everything else is 404, also an organization whose plan lacks single sign-on.',
  query: z
    .strictObject({
      domain: z.string().min(1).max(MAX_LENGTH).optional(),
      slug: z.string().min(1).max(MAX_LENGTH).optional(),
    })
    .refine(({ domain, slug }) => (domain === undefined) !== (slug === undefined), {
      error: 'give domain or slug',
    }),
  returns: z
    .object({
      protocol: z.enum(PROTOCOLS),
      name: z.string(),
      slug: z.string(),
      login_url: z.string(),
    })
    .meta({
      description:
        'A connection. For `saml` and `oidc`, `login_url` is where the browser goes; for `ldap`, the operation that takes `connection` (the slug), `username` and `password`.',
      examples: [
        {
          protocol: 'saml',
          name: 'Acme',
          slug: 'acme',
          login_url: 'https://accounts.example.com/saml/login/acme',
        },
      ],
    }),
  fails: ['invalidFormat', 'notFound', 'rateLimited', 'unavailable'],
  async handle({ config, db, host, reply, query: { domain = '', slug } }) {
    const connection = slug === undefined ? await ofDomain(db, domain) : await enabled(db, { slug });
    if (!connection || !(await host.hasPlan(connection.organization_id))) throw new AppError('notFound');
    reply.header('cache-control', 'no-store');
    const { protocol, name } = connection;
    return {
      protocol,
      name,
      slug: connection.slug,
      login_url: addressesOf({ config }, connection).login_url,
    };
  },
});

async function ofDomain(db: Database, text: string): Promise<Connection | null> {
  const verified_domain = normalizeDomain(text);
  if (verified_domain === undefined) return null;
  const domain = await db.ssoDomains.findOne({ verified_domain });
  if (!domain) return null;
  const { organization_id, connection_id } = domain;
  // While the connection of the domain is disabled, people log in where they would without it.
  const bound = connection_id && (await enabled(db, { organization_id, connection_id }));
  return bound || enabled(db, { organization_id });
}

const enabled = (
  db: Database,
  which: Partial<Pick<Connection, 'organization_id' | 'connection_id' | 'slug'>>,
) =>
  db.ssoConnections.findOne(
    { ...which, enabled: true, deleted_at: { $exists: false } },
    { sort: { created_at: 1 } },
  );
