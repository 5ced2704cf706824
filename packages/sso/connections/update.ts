import { optimistic } from '@gatehouse/shared/durable/optimistic';
import type { OidcSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { operation } from '../dependencies.ts';
import { endConnectionSessions } from '../login/end-sessions.ts';
import { attributeNames } from './attributes.ts';
import { connectionChanges } from './input.ts';
import { ownedConnection, requirePlan } from './owned.ts';
import { auditedConnection, connectionRecord, presentConnection } from './record.ts';
import { protocolSettings, requireDepartment } from './settings.ts';
import { refuseLast, releaseStranded } from './stranded-domains.ts';

const MISSING = { missing_attributes: true } as const;
const ALGORITHM = { id_token_alg: true } as const;

/** Whether a change names another client, or one of another provider, which may sign with another algorithm. */
const isOther = (before: OidcSettings | undefined, after: OidcSettings | undefined): boolean =>
  before !== undefined &&
  after !== undefined &&
  (before.issuer !== after.issuer || before.client_id !== after.client_id);

export const updateConnection = operation('PATCH /api/v1/sso/connections/{connection_id}', {
  needs: 'ownership',
  supportSession: 'refused',
  summary: 'Change a connection',
  description:
    'Changes the fields in the body and no others; `preset` replaces all attribute names that the body does not give. `organization_id`, `protocol` and `slug` stay, because addresses registered at the provider contain them. `enabled: false` ends the sessions that began at the connection; at the last enabled connection of a domain that requires single sign-on it is 409, unless `release: true` ends the requirement. A secret must be given again together with another address of the provider. Several certificates may be given while they are being replaced.',
  body: connectionChanges.meta({
    examples: [{ enabled: false }, { saml: { metadata_url: 'https://idp.example.com/metadata' } }],
  }),
  returns: connectionRecord,
  fails: ['duplicate'],
  audits: ['connection.update', 'domain.update'],
  async handle(call) {
    const { db, now, audit, params, body, request } = call;
    const { connection_id } = params;
    const { saml, oidc, ldap, preset, attributes, release = false, ...fields } = body;
    return optimistic(async () => {
      const before = await ownedConnection(call, request, connection_id);
      const { organization_id, protocol } = before;
      await requirePlan(call, organization_id);
      await requireDepartment(call, organization_id, fields.default_department_id);
      const given = {
        ...(preset && { preset }),
        ...(saml && { saml }),
        ...(oidc && { oidc }),
        ...(ldap && { ldap }),
      };
      const names = { ...(preset === undefined && before.attributes), ...attributes };
      const $set = {
        ...fields,
        ...(await protocolSettings(call, before, given, before)),
        ...((preset || attributes) && { attributes: attributeNames(protocol, preset, names) }),
        updated_at: new Date(now()),
      };
      if (fields.enabled === false && !release) await refuseLast(call, before);
      // The result replaces only the settings that it was computed from.
      const unchanged = { [protocol]: before[protocol], attributes: before.attributes };
      const { matchedCount } = await db.ssoConnections.updateOne(
        { connection_id, deleted_at: { $exists: false }, ...unchanged },
        {
          $set,
          $unset: { ...($set.attributes && MISSING), ...(isOther(before.oidc, $set.oidc) && ALGORITHM) },
        },
      );
      // Otherwise a concurrent call came first: decide again, or find that the connection is gone.
      if (matchedCount === 0) return undefined;
      const after = { ...before, ...$set };
      await audit('connection.update', {
        target: { connection_id },
        organization_id,
        before: auditedConnection(before),
        after: auditedConnection(after),
      });
      // Also if the connection is disabled already: a repeated call completes an interrupted one.
      if (fields.enabled === false) {
        if (release) await releaseStranded(call, before, (released) => audit('domain.update', released));
        await endConnectionSessions(call, connection_id);
      }
      return presentConnection(call, after);
    });
  },
});

/** Ends the sessions of disabled connections that an interrupted call left. */
export async function endInterrupted(options: Pick<SsoOptions, 'config' | 'db' | 'now'>): Promise<void> {
  const disabled = { enabled: false, deleted_at: { $exists: false } };
  const ids: string[] = await options.db.ssoConnections.distinct('connection_id', disabled);
  for (const connection_id of ids) await endConnectionSessions(options, connection_id);
}
