import { failures } from '@gatehouse/shared/http/errors';
import { audit } from '@gatehouse/shared/identity/audit';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { endConnectionSessions } from '../login/end-sessions.ts';
import type { SsoOptions } from '../options.ts';
import type { OidcSettings } from '../records.ts';
import { attributeNames } from './attributes.ts';
import { bodyRefusals, config, connectionPath, operation } from './contract.ts';
import { connectionChanges } from './input.ts';
import { ownedConnection, requirePlan } from './owned.ts';
import { auditedConnection, connectionRecord, presentConnection } from './record.ts';
import { protocolSettings, requireDepartment } from './settings.ts';
import { refuseLast, releaseStranded } from './stranded-domains.ts';

const schema = {
  ...operation,
  summary: 'Change a connection',
  description:
    'Changes the fields in the body and no others; `preset` replaces all attribute names that the body does not give. `organization_id`, `protocol` and `slug` stay, because addresses registered at the provider contain them. `enabled: false` ends the sessions that began at the connection; at the last enabled connection of a domain that requires single sign-on it is 409, unless `release: true` ends the requirement. A secret must be given again together with another address of the provider. Several certificates may be given while they are being replaced.',
  params: connectionPath,
  body: connectionChanges.meta({
    examples: [{ enabled: false }, { saml: { metadata_url: 'https://idp.example.com/metadata' } }],
  }),
  response: { 200: connectionRecord, ...bodyRefusals, ...failures('catalogue', 'duplicate') },
};

const MISSING = { missing_attributes: true } as const;
const ALGORITHM = { id_token_alg: true } as const;

/** Whether a change names another client, or one of another provider, which may sign with another algorithm. */
const isOther = (before: OidcSettings | undefined, after: OidcSettings | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  (before.issuer !== after.issuer || before.client_id !== after.client_id);

/** PATCH /api/v1/sso/connections/{connection_id}. */
export const updateConnection: FastifyPluginAsyncZod<SsoOptions> = async (app, options) => {
  const { db, now } = options;
  app.patch('/api/v1/sso/connections/:connection_id', { schema, config }, async (request) => {
    const { connection_id } = request.params;
    const { saml, oidc, ldap, preset, attributes, release = false, ...fields } = request.body;
    for (;;) {
      const before = await ownedConnection(db, request, connection_id);
      const { organization_id, protocol } = before;
      await requirePlan(options, organization_id);
      await requireDepartment(options, organization_id, fields.default_department_id);
      const given = {
        ...(preset && { preset }),
        ...(saml && { saml }),
        ...(oidc && { oidc }),
        ...(ldap && { ldap }),
      };
      const names = { ...(preset === undefined && before.attributes), ...attributes };
      const $set = {
        ...fields,
        ...(await protocolSettings(options, before, given, before)),
        ...((preset || attributes) && { attributes: attributeNames(protocol, preset, names) }),
        updated_at: new Date(now()),
      };
      if (fields.enabled === false && !release) await refuseLast(options, before);
      // What was computed from the settings as read must replace exactly those.
      const unchanged = { [protocol]: before[protocol], attributes: before.attributes };
      const { matchedCount } = await db.ssoConnections.updateOne(
        { connection_id, deleted_at: { $exists: false }, ...unchanged },
        {
          $set,
          $unset: { ...($set.attributes && MISSING), ...(isOther(before.oidc, $set.oidc) && ALGORITHM) },
        },
      );
      // Otherwise a concurrent call came first: decide again, or find that the connection is gone.
      if (matchedCount === 0) continue;
      const after = { ...before, ...$set };
      await audit(db, request, now(), {
        action: 'connection.update',
        target: { connection_id },
        organization_id,
        before: auditedConnection(before),
        after: auditedConnection(after),
      });
      // Also if the connection is disabled already, so that a repeated call completes one that was interrupted.
      if (fields.enabled === false) {
        if (release) await releaseStranded(options, request, before);
        await endConnectionSessions(options, connection_id);
      }
      return presentConnection(options, after);
    }
  });
  app.addHook('onReady', () => endInterrupted(options));
};

/** Ends the sessions of disabled connections that an interrupted call left. */
export async function endInterrupted(options: Pick<SsoOptions, 'config' | 'db' | 'now'>): Promise<void> {
  const disabled = { enabled: false, deleted_at: { $exists: false } };
  const ids: string[] = await options.db.ssoConnections.distinct('connection_id', disabled);
  for (const connection_id of ids) await endConnectionSessions(options, connection_id);
}
