import { randomUUIDv7 } from 'node:crypto';
import { createSecrets } from '@gatehouse/shared/data/secrets';
import type { OutboundTuning } from '@gatehouse/shared/outbound/outbound';
import type { Connection } from '@gatehouse/sso/connection-records';
import type { ResolveTxt } from '../../packages/sso/domains/resolve-txt.ts';
import type { LdapTuning } from '../../packages/sso/ldap/options.ts';
import type { OidcLimits } from '../../packages/sso/oidc/limits.ts';
import type { Clock } from '../fixtures/clock.ts';
import { failuresAt } from '../fixtures/envelope.ts';
import { send, sendJson } from '../fixtures/http.ts';
import { bearerOf, newMember } from '../fixtures/members.ts';
import { JWT_SECRET, startServices } from '../fixtures/services.ts';
import { storeOrganization } from '../user/access/store-organization.ts';

const CORP_DOMAIN = 'corp.example';

/** The names under which the test providers send attributes. */
const ATTRIBUTES = {
  email: 'email',
  firstName: 'firstName',
  lastName: 'lastName',
  role: 'role',
  department: 'department',
};

/**
 * Starts the services with helpers for organizations and connections. Providers may be on 127.0.0.1.
 * @param outbound.resolve answers for the name servers; without it no name resolves.
 * @param resolveTxt answers for TXT records; without it no name has any.
 */
export async function startSsoService({
  env = {},
  clock,
  outbound = {},
  ldap = {},
  oidc = {},
  resolveTxt,
}: {
  env?: NodeJS.ProcessEnv;
  clock?: Clock;
  outbound?: OutboundTuning;
  ldap?: LdapTuning;
  oidc?: Partial<OidcLimits>;
  resolveTxt?: ResolveTxt;
} = {}) {
  const services = await startServices({
    env: {
      PASSWORD_STORAGE: 'plain',
      PUBLIC_URL: 'http://localhost:8000',
      SSO_ALLOWED_NETWORKS: '127.0.0.0/8,::1/128',
      ...env,
    },
    outbound: {
      resolve: () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })),
      ...outbound,
    },
    ldap,
    oidc,
    ...(clock && { clock }),
    ...(resolveTxt && { resolveTxt }),
  });
  const { db, user: url } = services;
  const secrets = createSecrets({ JWT_SECRET });

  /** An active account whose calls each use a new session, so that advancing the clock expires none. */
  async function newPerson(fields: object = {}) {
    const user = await newMember(db, fields);
    return {
      user_id: String(user.user_id),
      email: user.email,
      /** @param path for example /api/v1/sso/connections. */
      call: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
        const sent = { authorization: bearerOf(user, services.clock.now()), ...headers };
        return body === undefined
          ? send(`${url}${path}`, { method, headers: sent })
          : sendJson(method, `${url}${path}`, body, sent);
      },
    };
  }

  /**
   * Stores an organization with an Owner and a department `Engineering` that has the plan, and a verified domain.
   * @param domain null for an organization without one.
   */
  async function newOrganization({
    domain = CORP_DOMAIN,
    plan = 'Enterprise',
  }: {
    domain?: string | null;
    plan?: 'Free' | 'Enterprise';
  } = {}) {
    const owner = await newPerson();
    const { organization, departments } = await storeOrganization(db, {
      owners: [owner.user_id],
      departments: ['Engineering'],
      now: services.clock.now(),
    });
    const [department] = departments as [(typeof departments)[0]];
    const { organization_id, department_id } = department;
    await db.departments.updateOne(
      { department_id },
      { $set: { 'billing.subscription_plan': plan, 'billing.payment_status': 'paid' } },
    );
    if (domain !== null) await addDomain(organization_id, domain);
    return { owner, organization, organization_id, department_id };
  }

  /** Stores a verified domain. */
  async function addDomain(organization_id: string, domain: string, fields: object = {}) {
    const at = new Date(services.clock.now());
    await db.ssoDomains.insertOne({
      domain_id: randomUUIDv7(),
      organization_id,
      domain,
      token: 'token',
      verified_at: at,
      verified_domain: domain,
      sso_required: false,
      created_at: at,
      ...fields,
    });
  }

  let connections = 0;
  /** Stores an enabled connection of an organization; give the settings of its protocol. */
  async function newConnection(
    { organization_id }: { organization_id: string },
    fields: Partial<Connection> & Pick<Connection, 'protocol'>,
  ): Promise<Connection> {
    connections += 1;
    const at = new Date(services.clock.now());
    const connection: Connection = {
      connection_id: randomUUIDv7(),
      organization_id,
      slot: connections,
      slug: `corp-${connections}`,
      name: 'Corp',
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

  return {
    ...services,
    url,
    secrets,
    newPerson,
    newOrganization,
    addDomain,
    newConnection,
    failure: failuresAt(services.clock.now),
  };
}

export type SsoService = Awaited<ReturnType<typeof startSsoService>>;
