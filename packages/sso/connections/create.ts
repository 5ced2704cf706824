import { randomUUIDv7 } from 'node:crypto';
import { isDuplicateKey } from '@gatehouse/shared/data/connect';
import { insertInFreeSlot, lowestFree } from '@gatehouse/shared/durable/slot';
import { AppError } from '@gatehouse/shared/http/errors';
import type { Connection } from '../connection-records.ts';
import type { Database } from '../database.ts';
import { operation } from '../dependencies.ts';
import { attributeNames } from './attributes.ts';

import { newConnection } from './input.ts';
import { requirePlan } from './owned.ts';
import { auditedConnection, connectionRecord, presentConnection } from './record.ts';
import { protocolSettings, requireDepartment } from './settings.ts';

/** For one organization. */
const MAX_CONNECTIONS = 10;

/** CONTRACT.md §Connections. */
export const createConnection = operation('POST /api/v1/sso/connections', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Connect an identity provider',
  description: `Connects an identity provider of an organization on the Enterprise plan, which may have up to ${MAX_CONNECTIONS}. SAML takes \`metadata_url\`, \`metadata_xml\`, or the details; OpenID Connect reads the discovery document of the issuer; LDAP finds people with \`user_filter\` below \`base_dn\`, or with \`user_dn\`. Addresses that the service calls must be public or in a network that the operator allows. The answer names the addresses to register at the provider. Secrets are encrypted and never returned.`,
  body: newConnection.meta({
    examples: [
      {
        organization_id: '01936f2e-02b1-7c1f-9a77-3f1d3c0e8b52',
        protocol: 'saml',
        slug: 'analytical-engines',
        name: 'Analytical Engines',
        preset: 'okta',
        saml: { metadata_url: 'https://example.okta.com/app/exk1/sso/saml/metadata' },
      },
      {
        organization_id: '01936f2e-02b1-7c1f-9a77-3f1d3c0e8b52',
        protocol: 'oidc',
        slug: 'analytical-engines',
        name: 'Analytical Engines',
        oidc: { issuer: 'https://idp.example.com', client_id: 'gatehouse', client_secret: 'hunter2hunter2' },
      },
      {
        organization_id: '01936f2e-02b1-7c1f-9a77-3f1d3c0e8b52',
        protocol: 'ldap',
        slug: 'analytical-engines',
        name: 'Analytical Engines',
        ldap: {
          url: 'ldaps://ldap.example.com',
          bind_dn: 'cn=gatehouse,dc=example,dc=com',
          bind_password: 'hunter2hunter2',
          base_dn: 'ou=people,dc=example,dc=com',
          user_filter: '(uid={username})',
        },
      },
    ],
  }),
  returns: {
    201: connectionRecord.meta({
      ...connectionRecord.meta(),
      description: 'The identity provider is connected',
    }),
  },
  fails: ['notFound', 'duplicate'],
  audits: ['connection.create'],
  async handle(call) {
    const { db, host, now, audit, body, request } = call;
    const { organization_id, protocol, slug, name, enabled = true, ...given } = body;
    await host.requireOwner(request, organization_id);
    await requirePlan(call, organization_id);
    const { default_role = 'Viewer', default_department_id = null } = given;
    await requireDepartment(call, organization_id, default_department_id);
    const connection_id = randomUUIDv7();
    const settings = await protocolSettings(call, { connection_id, slug, protocol }, given);
    const at = new Date(now());
    const connection = await insertWithinLimit(db, {
      connection_id,
      organization_id,
      protocol,
      slug,
      name,
      enabled,
      attributes: attributeNames(protocol, given.preset, given.attributes),
      ...(given.group_roles && { group_roles: given.group_roles }),
      default_role,
      default_department_id,
      ...settings,
      created_at: at,
      updated_at: at,
    });
    await audit('connection.create', {
      target: { connection_id },
      organization_id,
      after: auditedConnection(connection),
    });
    return presentConnection(call, connection);
  },
});

/** Takes a free slot of the organization. The unique index enforces the limit under concurrent calls. */
async function insertWithinLimit(db: Database, connection: Omit<Connection, 'slot'>): Promise<Connection> {
  const { organization_id } = connection;
  const freeSlot = async () => {
    const taken = await db.ssoConnections.find({ organization_id }, { projection: { slot: 1 } }).toArray();
    const slot = lowestFree(
      taken.map((each) => each.slot),
      MAX_CONNECTIONS,
    );
    if (slot === undefined)
      throw new AppError('forbidden', {
        text: `An organization may have at most ${MAX_CONNECTIONS} connections`,
      });
    return slot;
  };
  return insertInFreeSlot(['slot'], freeSlot, async (slot) => {
    const stored = { ...connection, slot };
    try {
      await db.ssoConnections.insertOne({ ...stored });
    } catch (error) {
      if (isDuplicateKey(error, 'slug')) throw new AppError('duplicate', { text: 'slug is already in use' });
      throw error;
    }
    return stored;
  });
}
