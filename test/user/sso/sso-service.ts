import { randomUUIDv7 } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { SsoOptions } from '../../../services/user/sso/options.ts';
import type { Profile } from '../../../services/user/sso/profile.ts';
import { provision } from '../../../services/user/sso/provisioning/provision.ts';
import type {
  Connection,
  Domain,
  LdapSettings,
  OidcSettings,
  SamlSettings,
} from '../../../services/user/sso/records.ts';
import { send, sendJson } from '../../fixtures/http.ts';
import { bearerOf, member } from '../../fixtures/members.ts';
import { startServices } from '../../fixtures/services.ts';
import { storeOrganization } from '../access/store-organization.ts';

/** The attribute names of the connections that tests store. */
export const ATTRIBUTES = {
  email: 'email',
  firstName: 'firstName',
  lastName: 'lastName',
  role: 'role',
  department: 'department',
};

type ProtocolSettings =
  | { protocol: 'saml'; saml: SamlSettings }
  | { protocol: 'oidc'; oidc: OidcSettings }
  | { protocol: 'ldap'; ldap: LdapSettings };

/** A user service with organizations that have single sign-on. */
export async function startSsoService(options: Parameters<typeof startServices>[0] = {}) {
  const services = await startServices(options);
  const { db, clock, user: url } = services;
  let organizations = 0;
  let connections = 0;

  /** Stores a verified domain of an organization. */
  async function storeDomain(organization_id: string, domain: string, fields: Partial<Domain> = {}) {
    const at = new Date(clock.now());
    const record: Domain = {
      domain_id: randomUUIDv7(),
      organization_id,
      domain,
      token: 'a token of the tests',
      verified_at: at,
      verified_domain: domain,
      sso_required: false,
      created_at: at,
      ...fields,
    };
    await db.ssoDomains.insertOne({ ...record });
    return record;
  }

  /**
   * Stores an organization with the departments Support and Sales, an Owner on the Enterprise plan, and a verified
   * domain: corp.example, then corp2.example and so on.
   */
  async function newOrganization({
    plan = 'Enterprise',
    domain = `corp${++organizations === 1 ? '' : organizations}.example`,
  }: {
    plan?: 'Free' | 'Enterprise';
    domain?: string;
  } = {}) {
    const owner = await member(db, clock, { subscription_plan: plan });
    const { organization, departments } = await storeOrganization(db, {
      owners: [owner.user_id],
      departments: ['Support', 'Sales'],
      now: clock.now(),
    });
    const [support, sales] = departments as [(typeof departments)[0], (typeof departments)[0]];
    const { organization_id } = organization;
    await storeDomain(organization_id, domain);
    /** Calls the user service as the Owner. */
    const call = (method: string, path: string, body?: unknown) => {
      const headers = { authorization: bearerOf(owner, clock.now()) };
      return body === undefined
        ? send(`${url}${path}`, { method, headers })
        : sendJson(method, `${url}${path}`, body, headers);
    };
    return {
      organization_id,
      owner,
      domain,
      support: support.department_id,
      sales: sales.department_id,
      call,
    };
  }

  /** Stores a connection. Its slug is its protocol and a number unless `fields` name another. */
  async function newConnection(
    { organization_id }: { organization_id: string },
    fields: ProtocolSettings & Partial<Connection>,
  ): Promise<Connection> {
    const at = new Date(clock.now());
    const connection: Connection = {
      connection_id: randomUUIDv7(),
      organization_id,
      slug: `${fields.protocol}-${++connections}`,
      name: 'Directory',
      enabled: true,
      attributes: ATTRIBUTES,
      default_role: 'Viewer',
      default_department_id: null,
      created_at: at,
      updated_at: at,
      ...fields,
    };
    await db.ssoConnections.insertOne({ ...connection });
    return connection;
  }

  return { ...services, storeDomain, newOrganization, newConnection };
}

export type SsoService = Awaited<ReturnType<typeof startSsoService>>;

/** The settings of an LDAP connection that no test dials. */
export const UNUSED_LDAP: LdapSettings = {
  url: 'ldaps://ldap.corp.example',
  start_tls: false,
  ca: null,
  allow_private: false,
  bind_dn: null,
  bind_password: null,
  base_dn: null,
  user_filter: null,
  user_dn: 'uid={username},dc=corp,dc=example',
};

/** What a provider says of Grace, who works at corp.example. */
export const GRACE: Profile = {
  subject: 'grace-0001',
  email: 'grace@corp.example',
  emailVerified: true,
  firstName: 'Grace',
  lastName: 'Hopper',
  role: undefined,
  department: undefined,
};

/** Provisions accounts without a provider. */
export function provisioner({ db, clock }: Pick<SsoService, 'db' | 'clock'>) {
  const warnings: object[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => void warnings.push(fields) };
  const request = { id: 'request', ip: '127.0.0.1', log } as unknown as FastifyRequest;
  const options: Pick<SsoOptions, 'db' | 'now'> = { db, now: clock.now };
  return {
    warnings,
    /** Logs Grace in, with these differences. */
    logIn: (connection: Connection, changes: Partial<Profile> = {}) =>
      provision(options, request, connection, { ...GRACE, ...changes }),
  };
}
