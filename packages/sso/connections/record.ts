import { z } from 'zod';
import { type Connection, type GroupRole, PROTOCOLS } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { addressesOf } from './addresses.ts';
import { MEMBER_ROLES } from './contract.ts';

const dateTime = z.string().meta({ format: 'date-time' });

const attributes = z.object({
  email: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  role: z.string(),
  department: z.string(),
});

const EXAMPLE = {
  connection_id: '01936f2e-7d3c-7a44-8c1e-5b0f3f6a9d21',
  organization_id: '01936f2e-02b1-7c1f-9a77-3f1d3c0e8b52',
  protocol: 'oidc' as const,
  slug: 'analytical-engines',
  name: 'Analytical Engines',
  enabled: true,
  attributes: {
    email: 'email',
    firstName: 'given_name',
    lastName: 'family_name',
    role: 'role',
    department: 'department',
  },
  group_roles: [{ group: '00g1engineering', role: 'Editor' as const }],
  default_role: 'Viewer' as const,
  default_department_id: null,
  oidc: { issuer: 'https://idp.example.com', client_id: 'gatehouse', ca: null, has_client_secret: true },
  has_scim_token: false,
  addresses: {
    login_url: 'https://accounts.example.com/oauth/login/analytical-engines',
    scim_base_url: 'https://accounts.example.com/scim/v2',
    redirect_uri: 'https://accounts.example.com/oauth/callback',
    backchannel_logout_uri: 'https://accounts.example.com/oauth/backchannel-logout/analytical-engines',
  },
  created_at: '2026-01-15T09:30:00.000Z',
  updated_at: '2026-01-15T09:30:00.000Z',
};

/** A connection as an Owner sees it. Secrets are never returned. */
export const connectionRecord = z
  .object({
    connection_id: z.string(),
    organization_id: z.string(),
    protocol: z.enum(PROTOCOLS),
    slug: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    attributes,
    group_roles: z.array(z.object({ group: z.string(), role: z.enum(MEMBER_ROLES) })),
    default_role: z.enum(MEMBER_ROLES),
    default_department_id: z.string().nullable(),
    saml: z
      .object({
        idp_entity_id: z.string(),
        sso_url: z.string(),
        slo_url: z.string().nullable(),
        certificates: z.array(z.string()),
        metadata_url: z.string().nullable(),
        sign_requests: z.boolean(),
        idp_initiated: z.boolean(),
        sp_certificate: z.string(),
        next_sp_certificate: z.string().nullable(),
        previous_sp_certificate: z.string().nullable(),
      })
      .exactOptional(),
    oidc: z
      .object({
        issuer: z.string(),
        client_id: z.string(),
        ca: z.string().nullable(),
        has_client_secret: z.boolean(),
      })
      .exactOptional(),
    ldap: z
      .object({
        url: z.string(),
        fallback_urls: z.array(z.string()),
        start_tls: z.boolean(),
        ca: z.string().nullable(),
        bind_dn: z.string().nullable(),
        has_bind_password: z.boolean(),
        base_dn: z.string().nullable(),
        user_filter: z.string().nullable(),
        user_dn: z.string().nullable(),
      })
      .exactOptional(),
    has_scim_token: z.boolean(),
    addresses: z
      .object({
        login_url: z.string(),
        scim_base_url: z.string(),
        acs_url: z.string().exactOptional(),
        entity_id: z.string().exactOptional(),
        metadata_url: z.string().exactOptional(),
        single_logout_url: z.string().exactOptional(),
        redirect_uri: z.string().exactOptional(),
        backchannel_logout_uri: z.string().exactOptional(),
      })
      .meta({ description: 'What an administrator registers at the provider' }),
    created_at: dateTime,
    updated_at: dateTime,
  })
  .meta({ description: 'The connection', examples: [EXAMPLE] });

export function presentConnection(
  options: Pick<SsoOptions, 'config'>,
  connection: Connection,
): z.infer<typeof connectionRecord> {
  const { saml, oidc, ldap } = connection;
  return {
    connection_id: connection.connection_id,
    organization_id: connection.organization_id,
    protocol: connection.protocol,
    slug: connection.slug,
    name: connection.name,
    enabled: connection.enabled,
    attributes: connection.attributes,
    group_roles: connection.group_roles ?? [],
    default_role: connection.default_role,
    default_department_id: connection.default_department_id,
    ...(saml && { saml: presentSaml(saml, connection.own_keys) }),
    ...(oidc && {
      oidc: {
        issuer: oidc.issuer,
        client_id: oidc.client_id,
        ca: oidc.ca ?? null,
        has_client_secret: oidc.client_secret !== null,
      },
    }),
    ...(ldap && { ldap: presentLdap(ldap) }),
    has_scim_token: connection.scim_token !== undefined,
    addresses: addressesOf(options, connection),
    created_at: connection.created_at.toISOString(),
    updated_at: connection.updated_at.toISOString(),
  };
}

function presentSaml(
  { sp_private_key: _, withdrawn: _withdrawn, metadata_url, ...saml }: NonNullable<Connection['saml']>,
  { next, previous }: NonNullable<Connection['own_keys']> = {},
) {
  return {
    ...saml,
    metadata_url: metadata_url ?? null,
    next_sp_certificate: next?.certificate ?? null,
    previous_sp_certificate: previous?.certificate ?? null,
  };
}

function presentLdap({ bind_password, fallback_urls = [], ...ldap }: NonNullable<Connection['ldap']>) {
  return { ...ldap, fallback_urls, has_bind_password: bind_password !== null };
}

/** Characters of the group table in the audit. */
const MAX_AUDITED = 2_000;

/** The audited fields of a connection: nothing secret. */
export const auditedConnection = (connection: Connection) => ({
  protocol: connection.protocol,
  slug: connection.slug,
  name: connection.name,
  enabled: String(connection.enabled),
  provider:
    connection.saml?.idp_entity_id ?? connection.oidc?.issuer ?? connection.ldap?.url ?? connection.protocol,
  ...(connection.group_roles && { group_roles: describeGroupRoles(connection.group_roles) }),
  default_role: connection.default_role,
  default_department_id: connection.default_department_id,
});

const describeGroupRoles = (rows: readonly GroupRole[]): string =>
  rows
    .map(({ group, role }) => `${group}: ${role}`)
    .join('; ')
    .slice(0, MAX_AUDITED);
