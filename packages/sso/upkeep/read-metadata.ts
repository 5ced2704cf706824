import { isDeepStrictEqual } from 'node:util';
import { bounded } from '@gatehouse/shared/data/bounded';
import { derivedId } from '@gatehouse/shared/derived-id';
import { auditJob } from '@gatehouse/shared/identity/audit';
import { getText } from '@gatehouse/shared/outbound/get-text';
import type { FastifyBaseLogger } from 'fastify';
import type { SsoOptions } from '../dependencies.ts';
import { readIdpMetadata } from '../saml/metadata.ts';
import type { SamlConnection } from '../saml/service-provider.ts';
import { fingerprintOf, mergeCertificates } from './merge-certificates.ts';

/** The metadata describe another provider than before. */
class OtherProvider extends Error {}

/**
 * Reads the metadata of a provider again and merges their certificates. Nothing else changes without an Owner: a login
 * page at another address is reported by the test of the connection.
 * @returns the connection as it is now.
 * @throws when they cannot be read or describe another provider.
 */
export async function readMetadata(
  { db, now, outbound, log }: Pick<SsoOptions, 'db' | 'now' | 'outbound'> & { log: FastifyBaseLogger },
  connection: SamlConnection,
): Promise<SamlConnection> {
  const { connection_id, organization_id, saml } = connection;
  if (saml.metadata_url === undefined) return connection;
  const published = readIdpMetadata((await getText(outbound, saml.metadata_url)).text);
  if (published.idp_entity_id !== saml.idp_entity_id)
    throw new OtherProvider(`the metadata are those of ${published.idp_entity_id}`);
  const { withdrawn: _, ...rest } = saml;
  const merged = { ...rest, ...mergeCertificates(saml, published.certificates, now()) };
  if (isDeepStrictEqual(merged, saml)) return connection;
  // The result replaces only the settings that it was computed from.
  const { matchedCount } = await bounded(
    db.ssoConnections.updateOne(
      { connection_id, saml, deleted_at: { $exists: false } },
      { $set: { saml: merged, updated_at: new Date(now()) } },
    ),
  );
  if (matchedCount === 0) return connection;
  const [before, after] = [fingerprintsOf(saml.certificates), fingerprintsOf(merged.certificates)];
  if (before !== after)
    await auditJob(db, { id: connection_id, log }, now(), [
      {
        event_id: derivedId(now(), `connection.update ${connection_id} ${after}`),
        action: 'connection.update',
        user_id: null,
        target: { connection_id },
        organization_id,
        before: { certificates: before },
        after: { certificates: after },
      },
    ]);
  return { ...connection, saml: merged };
}

const fingerprintsOf = (certificates: readonly string[]): string =>
  certificates.map(fingerprintOf).join(', ');
